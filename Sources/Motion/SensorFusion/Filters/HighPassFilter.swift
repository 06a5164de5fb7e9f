// SPDX-License-Identifier: Apache-2.0

/// A one-pole high-pass filter for vectors. It passes fast changes and removes constant components.
///
/// The output is the sample minus the output of an internal ``LowPassFilter``. If the input is constant, the output
/// approaches zero. A common variant, `h = x - (0.1 x + 0.9 h)`, uses its own previous output in place of the previous
/// low-pass output. If the input is constant, the output of this variant approaches 0.474 of the input instead of zero.
///
/// A sample with an infinite or NaN component is ignored. If only the interval is invalid, the low-pass part remains
/// unchanged, and the output is the sample minus the low-pass part. The low-pass part starts from `startingAt:`. If
/// that value is nil, infinite or NaN, the low-pass part starts from the first sample, and the first output is zero.
public struct HighPassFilter: SampleFilter {
    private var lowPass: LowPassFilter
    /// The output, which is zero before the first sample.
    public private(set) var value: SIMD3<Double> = .zero

    /// Creates a filter with a time constant in seconds, after which the response to a step has decayed by 63 %. If the
    /// time constant is zero, negative or NaN, the output is always zero. Samples are weighted by their intervals.
    public init(timeConstant: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(timeConstant: timeConstant, startingAt: start)
    }

    /// Creates a filter with a cutoff frequency in hertz, at which the power is halved. Samples are weighted by their
    /// intervals.
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(cutoff: cutoff, startingAt: start)
    }

    /// Creates a filter whose low-pass part gives every sample the same weight: `factor`, clamped to 0 ... 1.
    public init(factor: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(factor: factor, startingAt: start)
    }

    /// Processes a sample and returns the new output in the unit of the sample. `interval` is the time since the
    /// previous sample in seconds.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        let rest = sample - lowPass.update(sample, interval: interval)
        guard rest.isFinite else { return value }
        value = rest
        return rest
    }

    /// Processes a sample without an interval. Use this method only if the filter was created with a factor. Otherwise,
    /// only the first sample changes the low-pass part.
    public mutating func update(_ sample: SIMD3<Double>) -> SIMD3<Double> { update(sample, interval: .nan) }

    /// Discards the filter state. The low-pass part starts from `start`, or from the next sample if `start` is nil,
    /// infinite or NaN.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        lowPass.reset(to: start)
        value = .zero
    }
}
