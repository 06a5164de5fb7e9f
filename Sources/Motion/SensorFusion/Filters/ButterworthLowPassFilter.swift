// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A second-order Butterworth low-pass filter for vectors that is right at irregular intervals.
///
/// Far above the cutoff it lets a tenth pass where ``LowPassFilter`` lets a third pass (40 dB a decade, not 20), and
/// it does not bend the response below the cutoff; a step overshoots by 4 %.
///
/// The filter is the continuous one, `y'' + √2 w y' + w² y = w² x` with `w = 2π cutoff`, whose input is a staircase:
/// each sample counts for the whole interval that it closes. Between two samples the differential equation has a
/// closed solution, a damped oscillation, and the filter steps along it. The state is the output and its rate
/// of change, which mean the same whatever the next interval is. So the interval may change from sample to sample,
/// and the filter is stable at every interval and cutoff, even with a cutoff above half the sample rate. Coefficients
/// of the usual digital form belong to one interval and their states too.
///
/// The first sample becomes the output, at rest; pass `startingAt:` to begin from another value. The unit is the
/// caller's. A sample with an infinite or NaN component, or whose interval is zero, negative or NaN, is not taken:
/// `update` returns the output as it was, or zero as long as there is none (``value`` tells).
public struct ButterworthLowPassFilter: Sendable, Equatable {
    /// w / √2: both the decay rate and the angular frequency of the damped oscillation, per second.
    private let rate: Double
    /// The slope of the output in units of `rate`.
    private var slope: SIMD3<Double> = .zero

    /// The output, or nil as long as no sample has been taken and no start was given.
    public private(set) var value: SIMD3<Double>?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - cutoff: The frequency in hertz at which the filter halves the power. With a negative number, infinity or
    ///     NaN each sample passes unchanged; with zero the output stays at its first value.
    ///   - start: The output to begin from, at rest; nil or a value that is not finite: the first sample.
    public init(cutoff: Double, startingAt start: SIMD3<Double>? = nil) {
        // The comparison is false for NaN too.
        rate = cutoff >= 0 ? cutoff * .pi * 2.0.squareRoot() : .infinity
        reset(to: start)
    }

    /// Takes a sample and returns the new output.
    ///
    /// - Parameters:
    ///   - sample: The sample, in the caller's unit.
    ///   - interval: Seconds since the sample before it; of no account for the first sample of a filter that has no
    ///     start.
    public mutating func update(_ sample: SIMD3<Double>, interval: Double) -> SIMD3<Double> {
        guard let old = value else {
            guard sample.isFinite else { return .zero }
            value = sample
            return sample
        }
        guard interval > 0, sample.isFinite else { return old }
        let angle = rate * interval
        // exp(-40) is below the resolution of Double; it also keeps an infinite angle away from sine and cosine.
        guard angle < 40 else {
            // Zero times infinity: a filter that never moves, over an endless interval.
            guard !angle.isNaN else { return old }
            value = sample
            slope = .zero
            return sample
        }
        let decay = exp(-angle)
        let cosine = decay * cos(angle)
        let sine = decay * sin(angle)
        // The deviation e of the output from the input obeys e'' + √2 w e' + w² e = 0 over the interval.
        let deviation = old - sample
        let new = sample + ((cosine + sine) * deviation + sine * slope)
        let newSlope = cosine * slope - sine * (slope + 2 * deviation)
        guard new.isFinite, newSlope.isFinite else { return old }
        value = new
        slope = newSlope
        return new
    }

    /// Forgets all samples.
    ///
    /// - Parameter start: The output to begin from, at rest; nil or a value that is not finite: the first sample.
    public mutating func reset(to start: SIMD3<Double>? = nil) {
        value = if let start, start.isFinite { start } else { nil }
        slope = .zero
    }
}
