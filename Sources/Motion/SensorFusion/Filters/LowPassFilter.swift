// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A filter for a single stream of vectors at irregular intervals.
///
/// ``AttitudeFilter`` does not conform to this protocol, because it combines three streams, each with its own
/// timestamps.
public protocol SampleFilter: Sendable, Equatable {
    /// The type of the filter's output.
    associatedtype Output: Sendable

    /// Processes a sample and returns the new output. A sample with an infinite or NaN component is ignored.
    ///
    /// - Parameters:
    ///   - sample: The sample, in the caller's unit.
    ///   - interval: The time since the previous sample in seconds.
    mutating func update(_ sample: SIMD3<Double>, interval: Double) -> Output

    /// Discards the filter state, but keeps the settings.
    ///
    /// - Parameter start: The initial value. If it is nil, infinite or NaN, the next sample is used.
    mutating func reset(to start: SIMD3<Double>?)
}

/// A one-pole low-pass filter for vectors. It passes slow changes and removes noise.
///
/// Each sample moves the output by `y += a (x - y)`. The weight `a` follows one of two rules:
///
/// - With a time constant `tau` in seconds, `a = 1 - exp(-dt / tau)`, where `dt` is the interval before the sample. The
///   filter behaves the same at any sample rate, and with irregular or missing samples.
/// - With a factor, `a` is that factor. The time constant, `tau = -dt / ln(1 - a)`, then depends on the sample rate.
///   For a factor of 0.1, it is 0.95 s at 10 Hz and 0.095 s at 100 Hz.
///
/// The first sample becomes the output, unless `startingAt:` specifies an initial value. For example, with an initial
/// value of zero and a factor of 0.1, the output reaches 65 % of a step after 10 samples.
///
/// The output is in the unit of the samples. A sample with an infinite or NaN component is ignored. With a time
/// constant, a sample with a zero, negative or NaN interval is ignored as well. If a sample is ignored, `update`
/// returns the previous output, or zero if ``value`` is nil.
///
/// ```swift
/// var gravity = LowPassFilter(timeConstant: 0.2)
/// let smooth = gravity.update(SIMD3(0.02, -0.01, -0.99), interval: 0.01)
/// ```
public struct LowPassFilter: SampleFilter {
    private let rule: SmoothingRule
    /// The output, or nil before the first sample if there is no initial value.
    public private(set) var value: SIMD3<Double>?

    private init(rule: SmoothingRule, start: SIMD3<Double>?) {
        self.rule = rule
        reset(to: start)
    }

    /// Creates a filter that has a time constant and weights samples by their intervals.
    ///
    /// - Parameters:
    ///   - timeConstant: The time, in seconds, that the output takes to cover 63 % of a step. If the time constant is
    ///     zero, negative or NaN, samples pass through unchanged. If it is infinite, the output keeps its first value.
    ///   - start: The initial output, or nil to use the first sample.
    public init(timeConstant: Double, startingAt start: SIMD3<Double>? = nil) {
        // This comparison is also false for NaN.
        self.init(rule: .timeConstant(timeConstant > 0 ? timeConstant : 0), start: start)
    }

    /// Creates a filter that has a cutoff frequency and weights samples by their intervals.
    ///
    /// - Parameters:
    ///   - cutoff: The frequency in hertz at which the power is halved. If the cutoff is negative, infinite or NaN,
    ///     samples pass through unchanged. If it is zero, the output keeps its first value.
    ///   - start: The initial output, or nil to use the first sample.
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        self.init(timeConstant: cutoff >= 0 ? 1 / (2 * .pi * cutoff) : 0, startingAt: start)
    }

    /// Creates a filter that gives every sample the same weight.
    ///
    /// - Parameters:
    ///   - factor: The weight of a new sample, clamped to 0 ... 1. NaN counts as 1.
    ///   - start: The initial output, or nil to use the first sample.
    public init(factor: Double, startingAt start: SIMD3<Double>? = nil) {
        self.init(rule: .factor(factor.isNaN ? 1 : min(max(factor, 0), 1)), start: start)
    }

    /// Processes a sample and returns the new output. `interval` is the time since the previous sample in seconds. If
    /// there is no initial value, the interval of the first sample is ignored. A filter created with a factor ignores
    /// all intervals.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        guard let old = value else {
            guard sample.isFinite else { return .zero }
            value = sample
            return sample
        }
        let weight = rule.weight(after: interval)
        // The two expressions are equivalent. The first is exact for a weight of 0, and the second for a weight of 1.
        // Both are exact for a constant input.
        let new = weight < 0.5 ? old + weight * (sample - old) : sample + (1 - weight) * (old - sample)
        guard new.isFinite else { return old }
        value = new
        return new
    }

    /// Processes a sample without an interval. Use this method only if the filter was created with a factor. Otherwise,
    /// the filter ignores every sample except the first.
    public mutating func update(_ sample: SIMD3<Double>) -> SIMD3<Double> { update(sample, interval: .nan) }

    /// Discards the filter state. The output starts from `start`, or from the next sample if `start` is nil, infinite
    /// or NaN.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        value = if let start, start.isFinite { start } else { nil }
    }
}

/// The rule that determines the weight of a sample in a one-pole filter.
enum SmoothingRule: Sendable, Equatable {
    /// A time constant in seconds. The weight depends on the interval.
    case timeConstant(Double)
    /// A constant weight.
    case factor(Double)

    /// Returns the weight of a sample after an interval in seconds, or NaN if the interval is invalid.
    func weight(after interval: Double) -> Double {
        switch self {
        case .factor(let factor): return factor
        case .timeConstant(let seconds):
            guard interval > 0 else { return .nan }
            // expm1 preserves precision for short intervals.
            return -expm1(-interval / seconds)
        }
    }
}
