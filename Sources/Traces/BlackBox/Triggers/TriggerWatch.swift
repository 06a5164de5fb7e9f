// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SensorFusion

/// Looks for the events of a black box in what a device's sources say. A value, which time passes for by what it is told.
///
/// Each event is told when it begins, and again only after it was over: an impact after a second without, a speed after it
/// was five hundredths on the other side.
package struct TriggerWatch: Sendable {
    private struct Watched: Sendable {
        var trigger: RecordingTrigger
        /// False from when it is told until it is over.
        var isArmed: Bool
        /// When what it looks for was so last, or began to be; nil when it was not.
        var since: BootTime?
    }

    /// An impact is over after so many seconds without.
    private static let calm = 1.0
    /// A fall is not followed over a longer gap between readings, in seconds.
    private static let longestGap = 0.25
    /// The speed has to be by that part of the threshold on the other side.
    private static let hysteresis = 0.05

    private var watched: [Watched]
    private var shake = ShakeDetector()
    private var lastReading: BootTime?
    private var lastFix: BootTime?

    /// A watch for those events.
    package init(_ triggers: [RecordingTrigger]) {
        watched = triggers.map { trigger in
            // Who stands from the beginning has not slowed down.
            let isArmed = if case .speedBelow = trigger.condition { false } else { true }
            return Watched(trigger: trigger, isArmed: isArmed)
        }
    }

    // MARK: What happens

    /// Takes a reading of the accelerometer in m/s², gravity included, in any axes; answers the events that it is.
    package mutating func take(acceleration: SIMD3<Double>, at time: BootTime) -> [String] {
        let magnitude = (acceleration * acceleration).sum().squareRoot()
        guard magnitude.isFinite else { return [] }
        let isGap = lastReading.map { time.seconds(since: $0) > Self.longestGap } ?? true
        lastReading = time
        let shaken = shake.update(
            acceleration: acceleration / RecordingTrigger.standardGravity, timestamp: time.seconds)
        return events { watch, place, condition in
            switch condition {
            case .shake: if case .began? = shaken { true } else { false }
            case .impact(let limit): watch.noteImpact(place, magnitude > limit, time)
            case .fall(let duration):
                watch.noteFall(place, magnitude < RecordingTrigger.fallLimit, duration, isGap, time)
            default: false
            }
        }
    }

    /// Takes a position report of the receiver that counts; answers the events that it is.
    package mutating func take(_ report: PositionReport, at time: BootTime) -> [String] {
        let hasFix = report.mode.rawValue >= FixMode.twoDimensional.rawValue
        if hasFix { lastFix = time }
        let speed = hasFix ? report.speed : .nan
        return events { watch, place, condition in
            switch condition {
            case .lostFix(let limit):
                if hasFix { watch.watched[place].isArmed = true }
                return !hasFix && watch.noteLostFix(place, limit, time)
            case .speedAbove(let limit): return watch.noteSpeed(place, speed, over: limit, sign: 1)
            case .speedBelow(let limit): return watch.noteSpeed(place, speed, over: limit, sign: -1)
            default: return false
            }
        }
    }

    /// When the next event happens if nothing is told until then; nil when none does.
    package var deadline: BootTime? {
        guard let lastFix else { return nil }
        let limits = watched.compactMap { entry -> Double? in
            if case .lostFix(let limit) = entry.trigger.condition, entry.isArmed { limit } else { nil }
        }
        return limits.min().map { lastFix.advanced(bySeconds: $0) }
    }

    /// Nothing was told until now; answers the events that it is.
    package mutating func pass(_ time: BootTime) -> [String] {
        events { watch, place, condition in
            if case .lostFix(let limit) = condition { watch.noteLostFix(place, limit, time) } else { false }
        }
    }

    /// Positions cannot be had any more; answers the events that it is.
    package mutating func positionWasLost() -> [String] {
        guard lastFix != nil else { return [] }
        return events { watch, place, condition in
            guard case .lostFix = condition else { return false }
            defer { watch.watched[place].isArmed = false }
            return watch.watched[place].isArmed
        }
    }

    /// An accessory was unplugged; answers the events that it is.
    package mutating func accessoryWasUnplugged(_ name: String) -> [String] {
        events { _, _, condition in
            if case .unplugged(let wanted) = condition { wanted == nil || wanted == name } else { false }
        }
    }

    /// What is told of those that the closure finds to be new.
    private mutating func events(
        _ isNew: (inout TriggerWatch, _ place: Int, RecordingTrigger.Condition) -> Bool
    ) -> [String] {
        var events: [String] = []
        for place in watched.indices where isNew(&self, place, watched[place].trigger.condition) {
            events.append(watched[place].trigger.text)
        }
        return events
    }

    private mutating func noteLostFix(_ place: Int, _ limit: Double, _ time: BootTime) -> Bool {
        // The same sum as in ``deadline``, for a clock that stands there.
        guard let lastFix, watched[place].isArmed, time >= lastFix.advanced(bySeconds: limit) else { return false }
        watched[place].isArmed = false
        return true
    }

    private mutating func noteImpact(_ place: Int, _ isOver: Bool, _ time: BootTime) -> Bool {
        if let since = watched[place].since, time.seconds(since: since) >= Self.calm { watched[place].isArmed = true }
        guard isOver else { return false }
        watched[place].since = time
        defer { watched[place].isArmed = false }
        return watched[place].isArmed
    }

    private mutating func noteFall(
        _ place: Int, _ isFalling: Bool, _ duration: Double, _ isGap: Bool, _ time: BootTime
    ) -> Bool {
        guard isFalling, !isGap else {
            watched[place].since = isFalling ? time : nil
            watched[place].isArmed = true
            return false
        }
        let since = watched[place].since ?? time
        watched[place].since = since
        guard watched[place].isArmed, time.seconds(since: since) >= duration else { return false }
        watched[place].isArmed = false
        return true
    }

    /// - Parameter sign: 1 to look for more than the limit, -1 for less.
    private mutating func noteSpeed(_ place: Int, _ speed: Double, over limit: Double, sign: Double) -> Bool {
        guard speed.isFinite else { return false }
        if watched[place].isArmed {
            guard (speed - limit) * sign > 0 else { return false }
            watched[place].isArmed = false
            return true
        }
        if (limit - speed) * sign > limit * Self.hysteresis { watched[place].isArmed = true }
        return false
    }
}
