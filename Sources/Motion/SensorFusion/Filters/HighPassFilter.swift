// SPDX-License-Identifier: Apache-2.0

/// A one-pole high-pass filter for vectors, which passes fast changes and removes constant components.
///
/// The output is the sample minus the output of an internal ``LowPassFilter``. With a constant input, the output
/// approaches zero. With a factor of 0.1 and zero as the initial value, nine tenths of a first step pass.
///
/// A common variant of this filter feeds back its own output instead, `h = x - (0.1 x + 0.9 h)`. That variant is a
/// different filter: with a constant input, its output approaches 0.9 / 1.9 = 0.474 of the input, and its gain at half
/// the sample rate is 9.
///
/// The weight of a sample, the first sample and the parameters follow the rules of ``LowPassFilter``. A sample with an
/// infinite or NaN component is ignored and the output remains unchanged. If only the interval is invalid, the low-pass
/// part remains unchanged and is subtracted from the sample. The low-pass part starts from the `startingAt:` argument.
/// If the argument is nil, infinite or NaN, the low-pass part starts from the first sample, so that the first output is
/// zero.
public struct HighPassFilter: SampleFilter {
    private var lowPass: LowPassFilter

    /// The output; zero before the first sample.
    public private(set) var value: SIMD3<Double> = .zero

    /// Creates a filter with a time constant, which weights samples by their intervals.
    ///
    /// A step decays by 63 % in `timeConstant` seconds. If the time constant is zero, negative or NaN, the output is
    /// always zero.
    public init(timeConstant: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(timeConstant: timeConstant, startingAt: start)
    }

    /// Creates a filter with a cutoff frequency, which weights samples by their intervals.
    ///
    /// The power is halved at `cutoff` hertz; the time constant is 1 / (2π cutoff).
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(cutoff: cutoff, startingAt: start)
    }

    /// Creates a filter that gives every sample the weight `factor` (0 to 1) in the low-pass part.
    public init(factor: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(factor: factor, startingAt: start)
    }

    /// Processes a sample and returns the new output, in the unit of the sample. The interval is the time since the
    /// previous sample in seconds, see ``LowPassFilter/update(_:interval:)``.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        let rest = sample - lowPass.update(sample, interval: interval)
        guard rest.isFinite else { return value }
        value = rest
        return rest
    }

    /// Processes a sample and returns the new output, for a filter created with a factor.
    ///
    /// If the filter was created with a time constant or a cutoff, the low-pass part uses only the first sample.
    public mutating func update(_ sample: SIMD3<Double>) -> SIMD3<Double> { update(sample, interval: .nan) }

    /// Discards the filter state. The low-pass part starts from `start`, or from the next sample if `start` is nil,
    /// infinite or NaN.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        lowPass.reset(to: start)
        value = .zero
    }
}
