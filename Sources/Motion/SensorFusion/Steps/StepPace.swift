// SPDX-License-Identifier: Apache-2.0

/// How fast somebody walks now, from the last steps.
package struct StepPace: Sendable {
    /// Seconds over which steps are looked at. Published counters tell the cadence of four to five seconds.
    static let window = 5.0
    /// Seconds without a step after which nobody walks.
    package static let pause = 2.5
    /// The most steps that are kept: more than five seconds hold.
    private static let capacity = 24

    private var times = InlineArray<24, Double>(repeating: -.infinity)
    private var lengths = InlineArray<24, Double>(repeating: 0)
    private var next = 0

    package init() {}

    /// Adds a step of that length in metres.
    package mutating func add(_ step: Footstep, length: Double) {
        times[next] = step.time
        lengths[next] = length
        next = (next + 1) % Self.capacity
    }

    /// When the last step was; minus infinity before the first.
    package var lastStep: Double { times[(next + Self.capacity - 1) % Self.capacity] }

    /// Steps a second and metres a second; nil when the last step is too long ago, or there was but one.
    package func pace(at time: Double) -> (cadence: Double, speed: Double)? {
        let last = lastStep
        guard time - last <= Self.pause + StepBandPass.delay, last.isFinite else { return nil }
        var first = last
        var count = 0
        var length = 0.0
        for back in 1...Self.capacity {
            let place = (next + Self.capacity - back) % Self.capacity
            // Not across a pause, nor from before a clock that was set back.
            guard times[place] <= first, first - times[place] <= StepDetector.longestStep,
                last - times[place] <= Self.window
            else { break }
            if back > 1 {
                count += 1
                length += lengths[(place + 1) % Self.capacity]
            }
            first = times[place]
        }
        guard count > 0, last > first else { return nil }
        return (Double(count) / (last - first), length / (last - first))
    }

    package mutating func restart() { self = StepPace() }
}
