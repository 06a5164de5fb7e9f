// SPDX-License-Identifier: Apache-2.0

/// The current cadence and speed of walking, from the last steps.
package struct StepPace: Sendable {
    /// The duration of the evaluated steps, in seconds. Published counters report the cadence over four to five
    /// seconds.
    static let window = 5.0
    /// The time without a step after which a person no longer walks, in seconds.
    package static let walkTimeout = 2.5
    /// The number of steps stored, more than occur in five seconds.
    private static let capacity = 24

    private var times = InlineArray<24, Double>(repeating: -.infinity)
    private var lengths = InlineArray<24, Double>(repeating: 0)
    private var next = 0

    package init() {}

    /// Adds a step with its length in metres.
    package mutating func add(_ step: Footstep, length: Double) {
        times[next] = step.time
        lengths[next] = length
        next = (next + 1) % Self.capacity
    }

    /// The time of the last step; minus infinity before the first.
    package var lastStep: Double { times[(next + Self.capacity - 1) % Self.capacity] }

    /// Returns the cadence in steps per second and the speed in metres per second; nil if the last step is too old or
    /// there are fewer than two steps.
    package func pace(at time: Double) -> (cadence: Double, speed: Double)? {
        let last = lastStep
        guard time - last <= Self.walkTimeout + StepBandPass.delay, last.isFinite else { return nil }
        var first = last
        var count = 0
        var length = 0.0
        for back in 1...Self.capacity {
            let index = (next + Self.capacity - back) % Self.capacity
            // Steps before a pause, or before the clock was set back, are excluded.
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
