// SPDX-License-Identifier: Apache-2.0

/// Tells what somebody who carries the device does, from windows of its acceleration, from steps, and from a speed
/// where there is one.
///
/// A window at rest is stationary. One that moves with the regularity of steps is walking or running; without it
/// unknown. The majority of five windows, each begun 1.28 s after the one before, counts: so a knock is seldom a
/// change, and a change is told four to six seconds late. Riding cannot be told from resting by acceleration (six of
/// ten windows in a car stay below 0.05 g), so automotive and cycling need a speed, and are never claimed without
/// one.
///
/// The numbers were chosen on six subjects of MotionSense (1 to 11, odd), a phone in the front pocket, and tested on
/// six others (13 to 23); docs/motion.md has the figures.
package struct ActivityClassifier: Sendable {
    /// The standard deviation of the magnitude, in g, up to which a window rests. No mistake on the tuning subjects
    /// between 0.07 and 0.12 but one or two.
    static let rest = 0.10
    /// The axis's standard deviation in g, and 0.2 of the cycles a second above 2.4, from which on it is running. On
    /// the tuning subjects 0.91 to 1.05 are equally good.
    static let running = 0.98
    private static let crossingWeight = 0.2
    private static let walkingCrossings = 2.4
    /// The regularity below which a window that moves is of no class, unless steps have just been counted.
    static let regularity = 0.45
    /// Windows that agree: for a medium and for a high confidence.
    private static let mediumWindows = 3
    private static let highWindows = 10
    /// Seconds within which a step says that somebody is on foot.
    private static let stepFreshness = 5.0
    /// Seconds from the beginning of a window to that of the next.
    private static let hop = Double(MovementWindow.half) / EvenSampler.rate

    /// What the last windows say by themselves, the latest first.
    private var recent = InlineArray<5, CarriedActivity>(repeating: [])
    /// Windows in a row that say what is told.
    private var agreeing = 0
    private var changeStart = 0.0
    private var lastStep = -Double.infinity
    private var vehicle = VehicleRule()

    /// What is told; nil before the first window.
    package private(set) var state: ActivityState?

    init() {}

    /// Takes note of steps.
    mutating func note(steps: Int, at time: Double) {
        guard steps > 0 else { return }
        lastStep = time
        vehicle.note(steps: steps, at: time)
    }

    /// The samples were interrupted: what was, says nothing about now.
    mutating func restart() {
        recent = InlineArray(repeating: [])
        agreeing = 0
        lastStep = -.infinity
        vehicle.restart()
    }

    /// Takes a window.
    ///
    /// - Parameters:
    ///   - speed: Metres a second now, as a receiver tells it; nil when none does.
    ///   - rhythm: The movement's at the end of the window.
    ///   - pedalling: How regular it is after the time of one turn of a pedal.
    /// - Returns: True when what is told has changed.
    mutating func take(
        _ window: MovementFeatures, speed: Double?, rhythm: MovementHistory.Rhythm, pedalling: Double
    ) -> Bool {
        let isOnFoot = window.end - lastStep <= Self.stepFreshness
        let seen = Self.classify(window, isRegular: isOnFoot || rhythm.regularity >= Self.regularity)
        for index in stride(from: recent.count - 1, to: 0, by: -1) { recent[index] = recent[index - 1] }
        recent[0] = seen
        vehicle.take(speed: speed, pedalling: pedalling, at: window.end)
        let ride = vehicle.ride
        let onFoot = majority
        var activity = ride ?? onFoot
        if ride == .automotive, onFoot == .stationary, let speed, speed < VehicleRule.standing {
            activity.insert(.stationary)
        }
        // A car at a light is the same car.
        let agrees = ride == nil ? seen == activity : true
        return tell(activity, agrees: agrees, ride: ride, window)
    }

    static func classify(_ window: MovementFeatures, isRegular: Bool) -> CarriedActivity {
        if window.magnitudeDeviation <= rest { return .stationary }
        guard isRegular else { return .unknown }
        let score = window.axisDeviation + crossingWeight * (window.crossingRate - walkingCrossings)
        return score > running ? .running : .walking
    }

    /// How many of the last windows say so.
    private func count(_ activity: CarriedActivity) -> Int {
        var count = 0
        for index in recent.indices where recent[index] == activity { count += 1 }
        return count
    }

    /// What most of the last windows say; of several the latest.
    private var majority: CarriedActivity {
        var best = recent[0]
        for index in recent.indices where !recent[index].isEmpty && count(recent[index]) > count(best) {
            best = recent[index]
        }
        return best
    }

    private mutating func tell(
        _ activity: CarriedActivity, agrees: Bool, ride: CarriedActivity?, _ window: MovementFeatures
    ) -> Bool {
        let isSame = state?.activity == activity
        if !isSame {
            // Windows before the one that decided were of it already.
            let early = ride == nil ? recent.indices.last { recent[$0] == activity } ?? 0 : 0
            changeStart = window.start - Double(early) * Self.hop
            agreeing = ride == nil ? max(0, count(activity) - (agrees ? 1 : 0)) : 0
        }
        agreeing = agrees ? min(agreeing + 1, Self.highWindows) : 0
        var confidence: ActivityConfidence =
            agreeing >= Self.highWindows ? .high : agreeing >= Self.mediumWindows ? .medium : .low
        // A window that disagrees is no reason to tell less of an activity that goes on.
        if isSame, !agrees, let state { confidence = min(state.confidence, .medium) }
        if ride == .cycling { confidence = .low }
        if ride == nil, activity == .walking || activity == .running,
            window.end - lastStep > Self.stepFreshness
        {
            confidence = .low
        }
        if activity == .unknown { confidence = .low }
        let new = ActivityState(activity: activity, confidence: confidence, start: changeStart)
        defer { state = new }
        return !isSame || state?.confidence != confidence
    }
}
