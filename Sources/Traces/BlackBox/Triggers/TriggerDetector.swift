// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SensorFusion

/// Detects a black box's trigger events in the data from a device's sources. The detector has no clock and uses the
/// times passed to its methods.
///
/// Each event is reported when it begins. The next event from the same trigger is reported only after the previous one
/// has ended. An impact ends after one second without another impact. A speed event ends when the speed crosses the
/// threshold in the opposite direction by more than 5 %.
package struct TriggerDetector: Sendable {
    private struct TriggerState: Sendable {
        var trigger: RecordingTrigger
        /// True if a new event can be reported. False until the last reported event has ended.
        var isArmed: Bool
        /// The time of the last impact for an impact trigger, the start of the fall for a fall trigger, or nil.
        var since: BootTime?

        mutating func updateLostFix(_ limit: Double, since lastFix: BootTime?, _ time: BootTime) -> Bool {
            // The time limit is computed as in ``deadline``, so the event occurs exactly at the deadline.
            guard let lastFix, time >= lastFix.advanced(bySeconds: limit) else { return false }
            return exchange(&isArmed, with: false)
        }

        mutating func updateImpact(_ isOver: Bool, _ time: BootTime) -> Bool {
            if let since, time.seconds(since: since) >= TriggerDetector.impactEndDelay { isArmed = true }
            guard isOver else { return false }
            since = time
            return exchange(&isArmed, with: false)
        }

        mutating func updateFall(_ isFalling: Bool, _ duration: Double, _ isGap: Bool, _ time: BootTime) -> Bool {
            guard isFalling, !isGap else {
                since = isFalling ? time : nil
                isArmed = true
                return false
            }
            let start = since ?? time
            since = start
            guard time.seconds(since: start) >= duration else { return false }
            return exchange(&isArmed, with: false)
        }

        /// Returns true if a speed event begins. `sign` is 1 for speeds above the limit, and -1 for speeds below the
        /// limit.
        mutating func updateSpeed(_ speed: Double, limit: Double, sign: Double) -> Bool {
            guard speed.isFinite else { return false }
            if isArmed, (speed - limit) * sign > 0 {
                isArmed = false
                return true
            }
            if !isArmed, (limit - speed) * sign > limit * TriggerDetector.hysteresis { isArmed = true }
            return false
        }
    }

    /// The time without another impact after which an impact ends, in seconds.
    private static let impactEndDelay = 1.0
    /// The maximum time between readings during a fall, in seconds. A longer gap restarts the detection.
    private static let maximumGap = 0.25
    /// The hysteresis of speed events, as a fraction of the threshold.
    private static let hysteresis = 0.05
    private var states: [TriggerState]
    private var shake = ShakeDetector()
    private var lastReading: BootTime?
    private var lastFix: BootTime?

    package init(_ triggers: [RecordingTrigger]) {
        states = triggers.map { trigger in
            // A low-speed trigger is armed only after the speed has exceeded the threshold by more than the hysteresis,
            // so that it does not fire for a device that is slow from the start.
            let isArmed = if case .speedBelow = trigger.condition { false } else { true }
            return TriggerState(trigger: trigger, isArmed: isArmed)
        }
    }

    // MARK: Source events

    /// Processes an accelerometer reading in m/s², including gravity. The axes may have any orientation. Returns the
    /// texts of new events.
    package mutating func process(acceleration: SIMD3<Double>, at time: BootTime) -> [String] {
        let magnitude = (acceleration * acceleration).sum().squareRoot()
        guard magnitude.isFinite else { return [] }
        let isGap = lastReading.map { time.seconds(since: $0) > Self.maximumGap } ?? true
        lastReading = time
        let shaken = shake.update(
            acceleration: acceleration / RecordingTrigger.standardGravity, timestamp: time.seconds)
        return events { state in
            switch state.trigger.condition {
            case .shake: if case .began? = shaken { true } else { false }
            case .impact(let limit): state.updateImpact(magnitude > limit, time)
            case .fall(let duration):
                state.updateFall(magnitude < RecordingTrigger.fallLimit, duration, isGap, time)
            default: false
            }
        }
    }

    /// Processes a report of the primary receiver. Returns the texts of new events.
    package mutating func process(_ report: PositionReport, at time: BootTime) -> [String] {
        let hasFix = report.mode.rawValue >= FixMode.twoDimensional.rawValue
        if hasFix { lastFix = time }
        let speed = hasFix ? report.speed : .nan
        return events { [lastFix] state in
            switch state.trigger.condition {
            case .lostFix(let limit):
                if hasFix { state.isArmed = true }
                return !hasFix && state.updateLostFix(limit, since: lastFix, time)
            case .speedAbove(let limit): return state.updateSpeed(speed, limit: limit, sign: 1)
            case .speedBelow(let limit): return state.updateSpeed(speed, limit: limit, sign: -1)
            default: return false
            }
        }
    }

    /// The time at which a lost-fix event will occur unless there is a fix before then, or nil if no such event can
    /// occur.
    package var deadline: BootTime? {
        guard let lastFix else { return nil }
        let limits = states.compactMap { entry -> Double? in
            if case .lostFix(let limit) = entry.trigger.condition, entry.isArmed { limit } else { nil }
        }
        return limits.min().map { lastFix.advanced(bySeconds: $0) }
    }

    /// Advances the time without processing a report. Returns the texts of new events.
    package mutating func advance(to time: BootTime) -> [String] {
        events { [lastFix] state in
            guard case .lostFix(let limit) = state.trigger.condition else { return false }
            return state.updateLostFix(limit, since: lastFix, time)
        }
    }

    package mutating func processPositionLoss() -> [String] {
        guard lastFix != nil else { return [] }
        return events { state in
            if case .lostFix = state.trigger.condition { exchange(&state.isArmed, with: false) } else { false }
        }
    }

    package mutating func processUnplugging(of name: String) -> [String] {
        events { state in
            if case .unplugged(let wanted) = state.trigger.condition { wanted == nil || wanted == name } else { false }
        }
    }

    /// Returns the texts of the triggers for which the closure returns true.
    private mutating func events(_ isNew: (inout TriggerState) -> Bool) -> [String] {
        var texts: [String] = []
        for index in states.indices where isNew(&states[index]) { texts.append(states[index].trigger.text) }
        return texts
    }
}
