// SPDX-License-Identifier: Apache-2.0

/// Computes the current walking cadence and speed from the most recent steps.
package struct StepPace: Sendable {
    /// The time over which the pace is computed, in seconds. Published step counters use four to five seconds.
    static let window = 5.0
    /// The time without a step after which a walk is over, in seconds.
    package static let walkTimeout = 2.5
    /// The maximum number of stored steps, which is more than a person takes in five seconds.
    private static let capacity = 24

    /// Ring buffers with `capacity` elements. The newest step is the one before `next`.
    private var times = InlineArray<24, Double>(repeating: -.infinity)
    private var lengths = InlineArray<24, Double>(repeating: 0)
    private var next = 0

    package init() {}

    package mutating func add(_ step: Footstep, length: Double) {
        times[next] = step.time
        lengths[next] = length
        next = (next + 1) % Self.capacity
    }

    /// The time of the last step, or minus infinity before the first step.
    package var lastStep: Double { times[(next + Self.capacity - 1) % Self.capacity] }

    /// Returns the cadence in steps per second and the speed in metres per second, or nil if the last step is too old
    /// or there are fewer than two recent steps.
    package func pace(at time: Double) -> (cadence: Double, speed: Double)? {
        let last = lastStep
        guard time - last <= Self.walkTimeout + StepBandPass.delay, last.isFinite else { return nil }
        var first = last
        var count = 0
        var length = 0.0
        for back in 1...Self.capacity {
            let index = (next + Self.capacity - back) % Self.capacity
            // Excludes steps taken before a pause or before the clock was set back.
            guard times[index] <= first, first - times[index] <= StepDetector.maximumStepDuration,
                last - times[index] <= Self.window
            else { break }
            if back > 1 {
                count += 1
                length += lengths[(index + 1) % Self.capacity]
            }
            first = times[index]
        }
        guard count > 0, last > first else { return nil }
        return (Double(count) / (last - first), length / (last - first))
    }

    package mutating func restart() { self = StepPace() }
}

/// Estimates the step length from the cadence, or from the GNSS speed if it is available.
///
/// The estimate uses Chen's formula, L = (0.7 + 0.371 (h - 1.75) + 0.227 (f - 1.79) h / 1.75) c, where h is the height
/// in metres, f is the cadence in hertz, and c is a personal factor (R. Chen, L. Pei, Y. Chen, "A smart phone based PDR
/// solution for indoor navigation", ION GNSS 2011). The error is 10 to 20 % for an unknown person, and about 5 % once c
/// is known. The length of running steps is underestimated.
package struct StepLength: Sendable, Equatable {
    static let height = 1.70
    /// The plausible range of the personal factor c.
    package static let factors = 0.7...1.3
    /// The number of steps between updates of the personal factor, and the weight of each update.
    private static let correctionSteps = 10
    private static let correctionWeight = 0.2
    /// The plausible step lengths, in metres.
    private static let lengths = 0.2...2.5
    /// The personal factor c, which is 1 for an unknown person.
    package private(set) var factor: Double
    private var steps = 0
    private var predicted = 0.0
    private var measured = 0.0

    /// Creates an estimate with a personal factor c, which is clamped to ``factors``. An infinite or NaN factor becomes
    /// 1.
    package init(factor: Double = 1) {
        self.factor = factor.isFinite ? min(max(factor, Self.factors.lowerBound), Self.factors.upperBound) : 1
    }

    /// Returns the length of a step in metres. `interval` is the time since the previous step in seconds. It is nil for
    /// the first step of a walk, which is assumed to take 0.55 s. `speed` is the GNSS speed in m/s, or nil if it is
    /// unavailable. If the speed is known, it also updates the personal factor.
    package mutating func length(interval: Double?, speed: Double?) -> Double {
        let interval = interval ?? 0.55
        let plain = Self.length(cadence: 1 / max(interval, 0.2))
        guard let speed, speed > 0.5, speed.isFinite else { return plain * factor }
        let length = min(max(speed * interval, Self.lengths.lowerBound), Self.lengths.upperBound)
        updateFactor(plain, length)
        return length
    }

    private static func length(cadence: Double) -> Double {
        0.7 + 0.371 * (height - 1.75) + 0.227 * (cadence - 1.79) * height / 1.75
    }

    private mutating func updateFactor(_ plain: Double, _ length: Double) {
        predicted += plain
        measured += length
        steps += 1
        guard steps >= Self.correctionSteps else { return }
        let ratio = measured / predicted
        // A ratio outside this range is ignored, because it must come from riding or an incorrect speed.
        if ratio > 0.5, ratio < 1.6 {
            factor += Self.correctionWeight * (ratio - factor)
            factor = min(max(factor, Self.factors.lowerBound), Self.factors.upperBound)
        }
        (steps, predicted, measured) = (0, 0, 0)
    }
}
