// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A second-order Butterworth low-pass filter for vectors at irregular intervals.
///
/// At three times the cutoff frequency, this filter passes a tenth of the amplitude, whereas ``LowPassFilter`` passes a
/// third. Far above the cutoff, the attenuation increases by 40 dB per decade instead of 20 dB. The response below the
/// cutoff is flatter. The step response overshoots by 4 %.
///
/// The filter evaluates the exact solution of `y'' + √2 w y' + w² y = w² x` with `w = 2π cutoff`. The input is assumed
/// to equal the sample throughout the preceding interval. The state does not depend on the interval, so the interval
/// may change from sample to sample. The filter is stable for every interval and cutoff.
///
/// The first sample becomes the output, unless `startingAt:` specifies an initial value. The output is in the unit of
/// the samples. A sample is ignored if a component is infinite or NaN, or if its interval is zero, negative or NaN.
/// `update` then returns the previous output, or zero if ``value`` is nil.
public struct ButterworthLowPassFilter: SampleFilter {
    /// The decay rate of the damped oscillation, per second. It equals the angular frequency of the oscillation, w /
    /// √2.
    private let rate: Double
    /// The derivative of the output, divided by `rate`.
    private var slope: SIMD3<Double> = .zero
    /// The output, or nil before the first sample if there is no initial value.
    public private(set) var value: SIMD3<Double>?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - cutoff: The frequency in hertz at which the power is halved. If the cutoff is negative, infinite or NaN,
    ///     samples pass through unchanged. If the cutoff is zero, the output keeps its first value.
    ///   - start: The initial output. If it is nil, infinite or NaN, the first sample is used.
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        // This comparison is also false for NaN.
        rate = cutoff >= 0 ? cutoff * .pi * 2.0.squareRoot() : .infinity
        reset(to: start)
    }

    /// Processes a sample and returns the new output. `interval`, the time since the previous sample in seconds, is
    /// ignored for the first sample if there is no initial value.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        guard let old = value else {
            guard sample.isFinite else { return .zero }
            value = sample
            return sample
        }
        guard interval > 0, sample.isFinite else { return old }
        let angle = rate * interval
        // exp(-40) is below the resolution of Double.
        guard angle < 40 else {
            // The angle is NaN if the cutoff is zero and the interval is infinite. With a cutoff of zero, the output
            // never changes.
            guard !angle.isNaN else { return old }
            value = sample
            slope = .zero
            return sample
        }
        let decay = exp(-angle)
        let cosine = decay * cos(angle)
        let sine = decay * sin(angle)
        // e is the deviation of the output from the input. During the interval, e'' + √2 w e' + w² e = 0.
        let deviation = old - sample
        let new = sample + ((cosine + sine) * deviation + sine * slope)
        let newSlope = cosine * slope - sine * (slope + 2 * deviation)
        guard new.isFinite, newSlope.isFinite else { return old }
        value = new
        slope = newSlope
        return new
    }

    /// Discards the filter state. The output starts from `start`, or from the next sample if `start` is nil, infinite
    /// or NaN.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        value = if let start, start.isFinite { start } else { nil }
        slope = .zero
    }
}
