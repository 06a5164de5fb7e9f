// SPDX-License-Identifier: Apache-2.0

/// Makes samples at 50 Hz of samples at irregular times, by straight lines between them.
///
/// Across a gap nothing is made up: what follows begins anew. Samples that are not newer than the one before are left
/// out, unless the clock was set back by more than a gap.
struct EvenSampler: Sendable {
    /// What becomes of a sample.
    enum Step: Sendable {
        /// So many even samples are due, which ``next()`` gives.
        case due(Int)
        /// The first sample, or the first after an interruption: there is one even sample, that one.
        case start
        /// A repeated or late sample, or no time at all: not to be used.
        case unusable
    }

    /// The algorithms for steps and activities were made for this rate, in hertz.
    static let rate = 50.0
    /// Seconds without a sample after which those before are no evidence any more. Slower sensors, those of fewer than
    /// four samples a second, say nothing of steps.
    static let maximumGap = 0.25

    private var clock = SensorInterval(maximumGap: maximumGap, slowest: 0)
    private var former = SIMD3<Double>.zero
    private var latest = SIMD3<Double>.zero
    /// Of the sample before the latest.
    private var formerTime = 0.0
    /// Where the even samples begin, and how many there have been: a sum of intervals would wander.
    private var origin = 0.0
    private var count = 0.0

    mutating func step(_ value: SIMD3<Double>, at time: Double) -> Step {
        let previous = clock.timestamp
        switch clock.step(to: time) {
        case .unusable: return .unusable
        case .start:
            (latest, origin, count) = (value, time, 1)
            return .start
        case .next:
            (former, latest, formerTime) = (latest, value, previous)
            // Rounding must not make a sample wait for the next one. A gap of a quarter of a second holds thirteen.
            let last = ((time - origin) * Self.rate + 1e-4).rounded(.down)
            return .due(max(0, Int(min(last - count + 1, 16))))
        }
    }

    /// The next even sample and its time, as often as ``step(_:at:)`` has said.
    mutating func next() -> (value: SIMD3<Double>, time: Double) {
        let time = origin + count / Self.rate
        count += 1
        let length = clock.timestamp - formerTime
        let share = length > 0 ? min(max((time - formerTime) / length, 0), 1) : 1
        return (former + (latest - former) * share, time)
    }
}
