// SPDX-License-Identifier: Apache-2.0

/// Classifies the activity of a person carrying the device, from windows of acceleration, from steps, and from a speed
/// if one is available.
///
/// A window with little acceleration is stationary. A window that moves with the regularity of steps is walking or
/// running; any other moving window is unknown. The reported activity is the majority of the last five windows, which
/// start 1.28 s apart. A single knock therefore rarely changes the activity, and a change is reported four to six
/// seconds late. Acceleration alone cannot distinguish riding from resting (six of ten windows in a car stay below 0.05
/// g), so automotive and cycling require a speed and are never reported without one.
///
/// The constants were chosen on six subjects of MotionSense (1 to 11, odd), with a phone in the front pocket, and
/// tested on six others (13 to 23). The results are in docs/motion.md.
package struct ActivityClassifier: Sendable {
    /// The largest standard deviation of the magnitude of a stationary window, in g. On the tuning subjects, values
    /// from 0.07 to 0.12 give at most one or two errors.
    static let maximumRestDeviation = 0.10
    /// The lowest score of running: the standard deviation along the main axis, in g, plus 0.2 for each cycle per
    /// second above 2.4. On the tuning subjects, values from 0.91 to 1.05 are equally good.
    static let minimumRunningScore = 0.98
    private static let crossingWeight = 0.2
    private static let walkingCrossings = 2.4
    /// The regularity below which a moving window is unknown, unless steps were counted recently.
    static let minimumRegularity = 0.45
    /// The numbers of agreeing windows for medium and for high confidence.
    private static let mediumWindows = 3
    private static let highWindows = 10
    /// The time after a step during which the person is considered to be on foot, in seconds.
    private static let stepTimeout = 5.0
    /// The interval between the starts of consecutive windows, in seconds.
    private static let windowInterval = Double(MovementWindow.samplesPerHalf) / UniformResampler.rate

    /// The classes of the last windows, newest first.
    private var recent = InlineArray<5, CarriedActivity>(repeating: [])
    /// The number of windows that agree with the reported activity, at most `highWindows`; reset by a window that
    /// disagrees.
    private var agreeingWindows = 0
    private var changeStart = 0.0
    private var lastStep = -Double.infinity
    private var vehicle = RideDetector()

    /// The reported activity; nil before the first window.
    package private(set) var state: ActivityState?

    init() {}

    mutating func record(steps: Int, at time: Double) {
        guard steps > 0 else { return }
        lastStep = time
        vehicle.record(steps: steps, at: time)
    }

    /// Discards the evidence from before an interruption of the samples. The reported activity is kept.
    mutating func restart() {
        recent = InlineArray(repeating: [])
        (agreeingWindows, lastStep) = (0, -.infinity)
        vehicle.restart()
    }

    /// Processes a window with the speed of a GNSS receiver (m/s), the rhythm at its end and the regularity at the
    /// period of a pedal revolution. Returns true if the reported activity or its confidence has changed.
    mutating func process(
        _ window: MovementFeatures, speed: Double?, rhythm: MovementHistory.Rhythm, pedalling: Double
    ) -> Bool {
        let isOnFoot = window.end - lastStep <= Self.stepTimeout
        let windowActivity = Self.classify(window, isRegular: isOnFoot || rhythm.regularity >= Self.minimumRegularity)
        for index in stride(from: recent.count - 1, to: 0, by: -1) { recent[index] = recent[index - 1] }
        recent[0] = windowActivity
        vehicle.update(speed: speed, pedalling: pedalling, at: window.end)
        let ride = vehicle.minimumRideSpeed
        let onFoot = majority
        var activity = ride ?? onFoot
        if ride == .automotive, onFoot == .stationary, let speed, speed < RideDetector.maximumStationarySpeed {
            activity.insert(.stationary)
        }
        // A car that waits at a traffic light keeps its confidence.
        let agrees = ride == nil ? windowActivity == activity : true
        return updateState(activity, agrees: agrees, ride: ride, window: window)
    }

    static func classify(_ window: MovementFeatures, isRegular: Bool) -> CarriedActivity {
        if window.magnitudeDeviation <= maximumRestDeviation { return .stationary }
        guard isRegular else { return .unknown }
        let score = window.axisDeviation + crossingWeight * (window.crossingRate - walkingCrossings)
        return score > minimumRunningScore ? .running : .walking
    }

    private func count(_ activity: CarriedActivity) -> Int {
        var count = 0
        for index in recent.indices where recent[index] == activity { count += 1 }
        return count
    }

    /// The most frequent activity of the recent windows; in a tie, the one that occurred last.
    private var majority: CarriedActivity {
        var best = recent[0]
        for index in recent.indices where !recent[index].isEmpty && count(recent[index]) > count(best) {
            best = recent[index]
        }
        return best
    }

    private mutating func updateState(
        _ activity: CarriedActivity, agrees: Bool, ride: CarriedActivity?, window: MovementFeatures
    ) -> Bool {
        let isSame = state?.activity == activity
        if !isSame {
            // Earlier windows may have had the new activity before it became the majority.
            let early = ride == nil ? recent.indices.last { recent[$0] == activity } ?? 0 : 0
            changeStart = window.start - Double(early) * Self.windowInterval
            agreeingWindows = ride == nil ? max(0, count(activity) - (agrees ? 1 : 0)) : 0
        }
        agreeingWindows = agrees ? min(agreeingWindows + 1, Self.highWindows) : 0
        var confidence: ActivityConfidence =
            agreeingWindows >= Self.highWindows ? .high : agreeingWindows >= Self.mediumWindows ? .medium : .low
        // A single disagreeing window lowers the confidence of a continuing activity at most to medium.
        if isSame, !agrees, let state { confidence = min(state.confidence, .medium) }
        if ride == .cycling { confidence = .low }
        if ride == nil, activity == .walking || activity == .running,
            window.end - lastStep > Self.stepTimeout
        {
            confidence = .low
        }
        if activity == .unknown { confidence = .low }
        let new = ActivityState(activity: activity, confidence: confidence, start: changeStart)
        defer { state = new }
        return !isSame || state?.confidence != confidence
    }
}

/// The activity of a person carrying the device. Several activities may apply at once: a car waiting at a traffic light
/// is both automotive and stationary.
package struct CarriedActivity: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stationary = CarriedActivity(rawValue: 1)
    package static let walking = CarriedActivity(rawValue: 2)
    package static let running = CarriedActivity(rawValue: 4)
    package static let cycling = CarriedActivity(rawValue: 8)
    package static let automotive = CarriedActivity(rawValue: 16)
    /// The device moves, but the kind of movement cannot be determined.
    package static let unknown = CarriedActivity(rawValue: 32)
}

package enum ActivityConfidence: UInt8, Sendable, Comparable {
    case low = 0
    case medium = 1
    case high = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package struct ActivityState: Sendable, Hashable {
    package var activity: CarriedActivity
    package var confidence: ActivityConfidence
    /// The time when the activity began, in seconds of the clock of the samples.
    package var start: Double

    package init(activity: CarriedActivity, confidence: ActivityConfidence, start: Double) {
        (self.activity, self.confidence, self.start) = (activity, confidence, start)
    }
}
