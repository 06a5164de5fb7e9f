// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A one-pole low-pass filter for vectors: it follows what lasts and drops what trembles.
///
/// Each sample moves the output towards itself by a weight `a`: `y += a (x - y)`. There are two rules for the weight:
///
/// - A time constant `tau` in seconds: `a = 1 - exp(-dt / tau)`, the exact discretisation for an input held over the
///   interval `dt` that it closes. The filter behaves alike at every sample rate and when samples come irregularly
///   or are lost. After a gap much longer than `tau`, `a` tends to 1: the output is the new sample.
/// - A factor per sample: `a` is that number. A factor means another time constant at each sample rate: 0.1, which
///   accelerometer examples often use, is 0.95 s at 10 Hz and 0.095 s at 100 Hz (`tau = -dt / ln(1 - a)`).
///
/// The first sample becomes the output, so there is no ramp from zero at the start. Pass `startingAt:` to begin from
/// another value; with nil or a value that is not finite it is the first sample. Zero gives the slow start of the usual
/// example: with a factor of 0.1 it reaches 65 % of a step after 10 samples, 99 % after 44.
///
/// The unit is the caller's. A sample with an infinite or NaN component, and with a time constant a sample whose
/// interval is zero, negative or NaN, is not taken: `update` returns the output as it was, or zero as long as there is
/// none (``value`` tells). The same goes for finite numbers so far apart that their difference overflows.
///
/// ```swift
/// var gravity = LowPassFilter(timeConstant: 0.2)
/// let smooth = gravity.update(SIMD3(0.02, -0.01, -0.99), interval: 0.01)
/// ```
public struct LowPassFilter: Sendable, Equatable {
    private let rule: SmoothingRule

    /// The output, or nil as long as no sample has been taken and no start was given.
    public private(set) var value: SIMD3<Double>?

    private init(rule: SmoothingRule, start: SIMD3<Double>?) {
        self.rule = rule
        reset(to: start)
    }

    /// Creates a filter that weighs samples by their intervals.
    ///
    /// - Parameters:
    ///   - timeConstant: Seconds until a step has been followed by 63 %. With zero, a negative number or NaN each sample
    ///     passes unchanged; with infinity the output stays at its first value.
    ///   - start: The first output; nil for the first sample.
    public init(timeConstant: Double, startingAt start: SIMD3<Double>? = nil) {
        self.init(rule: SmoothingRule(timeConstant: timeConstant), start: start)
    }

    /// Creates a filter that weighs samples by their intervals, from the frequency at which it halves the power.
    ///
    /// - Parameters:
    ///   - cutoff: Hertz; the time constant is 1 / (2π cutoff). With a negative number or NaN each sample passes unchanged.
    ///   - start: The first output; nil for the first sample.
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        self.init(rule: SmoothingRule(cutoff: cutoff), start: start)
    }

    /// Creates a filter that gives every sample the same weight.
    ///
    /// - Parameters:
    ///   - factor: The weight of the new sample, 0 to 1; numbers outside are brought to the nearer end, NaN is 1.
    ///   - start: The first output; nil for the first sample.
    public init(factor: Double, startingAt start: SIMD3<Double>? = nil) {
        self.init(rule: SmoothingRule(factor: factor), start: start)
    }

    /// Takes a sample and returns the new output.
    ///
    /// - Parameters:
    ///   - sample: The sample, in the caller's unit.
    ///   - interval: Seconds since the sample before it; of no account with a factor, and for the first sample of a
    ///     filter that has no start.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        guard let old = value else {
            guard sample.isFinite else { return .zero }
            value = sample
            return sample
        }
        let weight = rule.weight(after: interval)
        // Both forms are the same; each is exact at its end, and at rest.
        let new = weight < 0.5 ? old + weight * (sample - old) : sample + (1 - weight) * (old - sample)
        guard new.isFinite else { return old }
        value = new
        return new
    }

    /// Takes a sample of a filter made with a factor and returns the new output.
    ///
    /// A filter made with a time constant or a cutoff cannot weigh a sample without its interval: it takes the first
    /// and leaves out the others.
    public mutating func update(_ sample: SIMD3<Double>) -> SIMD3<Double> { update(sample, interval: .nan) }

    /// Forgets all samples.
    ///
    /// - Parameter start: The output to begin from; nil or a value that is not finite: the first sample to come.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        value = if let start, start.isFinite { start } else { nil }
    }
}

/// How much of a new sample enters a one-pole filter.
enum SmoothingRule: Sendable, Equatable {
    /// Seconds; the weight follows the true interval.
    case timeConstant(Double)
    /// The same weight for each sample, whatever the interval.
    case factor(Double)

    init(timeConstant: Double) {
        // The comparison is false for NaN too.
        self = .timeConstant(timeConstant > 0 ? timeConstant : 0)
    }

    init(factor: Double) { self = .factor(factor.isNaN ? 1 : min(max(factor, 0), 1)) }

    /// A one-pole filter halves the power at 1 / (2π τ).
    init(cutoff: Double) { self.init(timeConstant: cutoff >= 0 ? 1 / (2 * .pi * cutoff) : 0) }

    /// The weight of a sample that comes `interval` seconds after the one before it; NaN when it cannot be weighed.
    func weight(after interval: Double) -> Double {
        switch self {
        case .factor(let factor): return factor
        case .timeConstant(let seconds):
            guard interval > 0 else { return .nan }
            // 1 - exp(-dt / tau), without losing digits when the interval is short.
            return -expm1(-interval / seconds)
        }
    }
}
