// SPDX-License-Identifier: Apache-2.0

/// Classifies the activity of a person who carries the device, based on acceleration, steps and, if known, speed.
///
/// The acceleration is divided into windows that start 1.28 s apart. A window counts as stationary if the acceleration
/// hardly varies, as walking or running if the movement repeats as regularly as steps do, and as unknown otherwise. The
/// reported activity is the most frequent one of the last five windows. A single knock therefore rarely changes it, but
/// a change of activity is reported four to six seconds late. In a car, six windows in ten stay below 0.05 g, so
/// acceleration alone cannot distinguish riding from resting. The automotive and cycling activities are reported only
/// if the speed is known.
///
/// The constants were chosen using subjects 1, 3, 5, 7, 9 and 11 of the MotionSense data set and tested on subjects 13,
/// 15, 17, 19, 21 and 23. All of them carried the phone in a front pocket. docs/motion.md lists the results.
package struct ActivityClassifier: Sendable {
    /// The maximum standard deviation of the acceleration magnitude in a stationary window, in g. Values from 0.07 to
    /// 0.12 cause at most two errors on the data used to choose the constants.
    static let maximumRestDeviation = 0.10
    /// The minimum score for running. The score is d + 0.2 (f - 2.4), where d is the standard deviation along the main
    /// axis, in g, and f is the frequency in hertz. Values from 0.91 to 1.05 work equally well.
    static let minimumRunningScore = 0.98
    /// The factor, in g/Hz, and the frequency, in hertz, in the formula for the running score.
    private static let crossingWeight = 0.2
    private static let walkingCrossings = 2.4
    /// The minimum regularity at which a window counts as walking or running if no steps were counted recently.
    static let minimumRegularity = 0.45
    /// The numbers of windows that must agree with the reported activity for medium and for high confidence.
    private static let mediumWindows = 3
    private static let highWindows = 10
    /// The time after a step during which a person is assumed to be on foot, in seconds.
    private static let stepTimeout = 5.0
    private static let windowInterval = Double(MovementWindow.samplesPerHalf) / UniformResampler.rate
    /// The activities in the most recent windows, newest first.
    private var recent = InlineArray<5, CarriedActivity>(repeating: [])
    /// The number of consecutive windows that agree with the reported activity, capped at `highWindows`.
    private var agreeingWindows = 0
    private var changeStart = 0.0
    private var lastStep = -Double.infinity
    private var rideDetector = RideDetector()
    /// The reported activity, or nil before the first window is complete.
    package private(set) var state: ActivityState?

    init() {}

    mutating func record(steps: Int, at time: Double) {
        guard steps > 0 else { return }
        lastStep = time
        rideDetector.record(steps: steps, at: time)
    }

    /// Discards all evidence after a gap in the samples, but keeps the reported activity.
    mutating func restart() {
        recent = InlineArray(repeating: [])
        (agreeingWindows, lastStep) = (0, -.infinity)
        rideDetector.restart()
    }

    /// Processes a window and returns true if the reported activity or its confidence changed. `speed` is the GNSS
    /// speed in m/s, and `pedalling` is the regularity of the movement at pedalling frequencies.
    mutating func process(
        _ window: MovementFeatures, speed: Double?, rhythm: MovementHistory.Rhythm, pedalling: Double
    ) -> Bool {
        let isOnFoot = window.end - lastStep <= Self.stepTimeout
        let windowActivity = Self.classify(window, isRegular: isOnFoot || rhythm.regularity >= Self.minimumRegularity)
        for index in stride(from: recent.count - 1, to: 0, by: -1) { recent[index] = recent[index - 1] }
        recent[0] = windowActivity
        rideDetector.update(speed: speed, pedalling: pedalling, at: window.end)
        let ride = rideDetector.ride
        let onFoot = majority
        var activity = ride ?? onFoot
        if ride == .automotive, onFoot == .stationary, let speed, speed < RideDetector.maximumStationarySpeed {
            activity.insert(.stationary)
        }
        // During a ride, every window counts as agreeing with the reported activity. Otherwise, a stop at a traffic
        // light would lower the confidence.
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

    /// The most frequent activity in the recent windows. In a tie, the latest activity wins.
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
            // An activity becomes the most frequent one only after several windows, so its start is backdated to the
            // oldest recent window in which it was detected.
            let early = ride == nil ? recent.indices.last { recent[$0] == activity } ?? 0 : 0
            changeStart = window.start - Double(early) * Self.windowInterval
            agreeingWindows = ride == nil ? max(0, count(activity) - (agrees ? 1 : 0)) : 0
        }
        agreeingWindows = agrees ? min(agreeingWindows + 1, Self.highWindows) : 0
        var confidence: ActivityConfidence =
            agreeingWindows >= Self.highWindows ? .high : agreeingWindows >= Self.mediumWindows ? .medium : .low
        // A single window that disagrees with the current activity lowers the confidence from high to medium. Medium
        // and low confidence do not change.
        if isSame, !agrees, let state { confidence = min(state.confidence, .medium) }
        let isOnFoot = ride == nil && (activity == .walking || activity == .running)
        let lacksSteps = isOnFoot && window.end - lastStep > Self.stepTimeout
        if ride == .cycling || activity == .unknown || lacksSteps { confidence = .low }
        let new = ActivityState(activity: activity, confidence: confidence, start: changeStart)
        defer { state = new }
        return !isSame || state?.confidence != confidence
    }
}

/// The activity of a person who carries the device. Several values may be set at once: sitting in a car at a traffic
/// light is both automotive and stationary. The raw values are stored in the step log.
package struct CarriedActivity: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stationary = CarriedActivity(rawValue: 1)
    package static let walking = CarriedActivity(rawValue: 2)
    package static let running = CarriedActivity(rawValue: 4)
    package static let cycling = CarriedActivity(rawValue: 8)
    package static let automotive = CarriedActivity(rawValue: 16)
    /// The device is moving, but the kind of movement is unclear.
    package static let unknown = CarriedActivity(rawValue: 32)
}

/// The confidence in an activity. The raw values are stored in the step log.
package enum ActivityConfidence: UInt8, Sendable, Comparable {
    case low = 0
    case medium = 1
    case high = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

package struct ActivityState: Sendable, Hashable {
    package var activity: CarriedActivity
    package var confidence: ActivityConfidence
    /// The start of the activity, in seconds on the sample clock.
    package var start: Double

    package init(activity: CarriedActivity, confidence: ActivityConfidence, start: Double) {
        (self.activity, self.confidence, self.start) = (activity, confidence, start)
    }
}
