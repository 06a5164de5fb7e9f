// SPDX-License-Identifier: Apache-2.0

/// A one-pole high-pass filter for vectors: it passes what is sudden and drops what lasts.
///
/// The output is the sample minus a ``LowPassFilter`` of the samples, which keeps a state of its own. At rest the
/// output goes to zero. Beginning from zero with a factor of 0.1, a first step comes through by nine tenths.
///
/// An often copied form of this filter feeds its own output back instead, `h = x - (0.1 x + 0.9 h)`. That is another
/// filter: at rest it settles at 0.9 / 1.9 = 0.474 of the input, and at half the sample rate its gain is 9.
///
/// The rules for the weight of a sample, the first sample and the parameters are those of ``LowPassFilter``. A sample
/// with an infinite or NaN component is not taken and the output stays. When only the interval is unusable, the
/// low-pass part stays and the output is the sample minus it. The low-pass part begins from `startingAt:`; with nil or a
/// value that is not finite from the first sample, so that the first output is zero.
public struct HighPassFilter: Sendable, Equatable {
    private var lowPass: LowPassFilter

    /// The output; zero as long as no sample has been taken.
    public private(set) var value: SIMD3<Double> = .zero

    /// Creates a filter that weighs samples by their intervals and lets 63 % of a step fade in `timeConstant` seconds. With
    /// zero, a negative number or NaN the output is always zero.
    public init(timeConstant: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(timeConstant: timeConstant, startingAt: start)
    }

    /// Creates a filter that weighs samples by their intervals and halves the power at `cutoff` hertz: the time constant is
    /// 1 / (2π cutoff).
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(cutoff: cutoff, startingAt: start)
    }

    /// Creates a filter that gives every sample the weight `factor`, 0 to 1, in the low-pass part.
    public init(factor: Double, startingAt start: SIMD3<Double>? = nil) {
        lowPass = LowPassFilter(factor: factor, startingAt: start)
    }

    /// Takes a sample and returns the new output.
    ///
    /// - Parameters:
    ///   - sample: The sample, in the caller's unit.
    ///   - interval: Seconds since the sample before it, see ``LowPassFilter/update(_:interval:)``.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        let rest = sample - lowPass.update(sample, interval: interval)
        guard rest.isFinite else { return value }
        value = rest
        return rest
    }

    /// Takes a sample of a filter made with a factor and returns the new output.
    ///
    /// With a time constant or a cutoff the low-pass part takes the first sample and leaves out the others.
    public mutating func update(_ sample: SIMD3<Double>) -> SIMD3<Double> { update(sample, interval: .nan) }

    /// Forgets all samples.
    ///
    /// - Parameter start: What the low-pass part begins from; nil or a value that is not finite: the first sample.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        lowPass.reset(to: start)
        value = .zero
    }
}
