// SPDX-License-Identifier: Apache-2.0

/// Resamples irregular samples to 50 Hz by linear interpolation. Gaps are not interpolated, and resampling restarts
/// after a gap. Late and duplicate samples are ignored, unless the clock was set back by more than ``maximumGap``.
struct UniformResampler: Sendable {
    enum Step: Sendable {
        /// The number of output samples. Call ``next()`` once for each of them before passing the next input sample.
        case available(Int)
        /// The sample is the first one, or the first one after a gap. It is also the first output sample.
        case start
        /// The sample is a duplicate, is late, or has an invalid timestamp.
        case ignored
    }

    /// The output rate, in hertz, for which the step and activity algorithms are designed.
    static let rate = 50.0
    /// The maximum interval to interpolate across, in seconds. Step detection therefore requires at least four samples
    /// per second.
    static let maximumGap = 0.25

    private var clock = SensorInterval(maximumGap: maximumGap, maximumAdaptiveGap: 0)
    private var previous = SIMD3<Double>.zero
    private var latest = SIMD3<Double>.zero
    private var previousTime = 0.0
    /// The time of the first output sample, and the number of output samples so far. Output times are computed from
    /// these two values, because adding up intervals would accumulate rounding errors.
    private var origin = 0.0
    private var count = 0.0

    mutating func step(_ value: SIMD3<Double>, at time: Double) -> Step {
        let previous = clock.timestamp
        switch clock.step(to: time) {
        case .ignored: return .ignored
        case .start:
            (latest, origin, count) = (value, time, 1)
            return .start
        case .next:
            (self.previous, latest, previousTime) = (latest, value, previous)
            // The tolerance of 1e-4 prevents a rounding error from delaying an output sample until the next input. The
            // limit of 16 is never reached, because the longest interval, 0.25 s, contains at most thirteen output
            // samples.
            let last = ((time - origin) * Self.rate + 1e-4).rounded(.down)
            return .available(max(0, Int(min(last - count + 1, 16))))
        }
    }

    /// Returns the next output sample and its time. Call this method once for each sample that ``step(_:at:)`` reports.
    mutating func next() -> (value: SIMD3<Double>, time: Double) {
        let time = origin + count / Self.rate
        count += 1
        let length = clock.timestamp - previousTime
        let share = length > 0 ? min(max((time - previousTime) / length, 0), 1) : 1
        return (previous + (latest - previous) * share, time)
    }
}
