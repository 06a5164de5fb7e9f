// SPDX-License-Identifier: Apache-2.0

/// Stores the recent output of the step band-pass filter and computes the regularity of the movement.
struct MovementHistory: Sendable {
    struct Rhythm: Sendable {
        /// The maximum normalized autocorrelation, from -1 to 1, or -1 if there are too few values.
        var regularity: Double
        /// The period in seconds. While walking, it is the duration of one or two steps.
        var period: Double
    }

    /// The interval between stored values, in seconds. Every other sample is stored, because the filtered signal
    /// contains no frequencies above 3 Hz.
    private static let interval = 2 / UniformResampler.rate
    /// The number of values that are compared with earlier values. They cover three seconds. With a shorter window,
    /// handling the device would count as walking. With a longer one, the start of a walk would be detected too late.
    private static let window = 75
    /// The range of lags to consider, in stored values. It covers periods from 0.28 s (a running step) to 1.48 s (a
    /// slow stride).
    private static let lags = 7...37
    private static let minimumValues = 20
    /// A power of two, because indices are masked with `capacity - 1`.
    private static let capacity = 128
    /// The minimum duration of a running stride, in seconds.
    private static let minimumStride = 0.5
    /// A shorter period is preferred if its autocorrelation is at least this fraction of the highest autocorrelation.
    /// Values from 0.8 to 0.9 yield nearly the same step counts.
    private static let shorterPeriodFactor = 0.85

    private var values = [Double](repeating: 0, count: capacity)
    private var nextIndex = 0
    private var count = 0
    private var isOdd = false

    mutating func restart() { (nextIndex, count, isOdd) = (0, 0, false) }

    mutating func add(_ value: Double) {
        defer { isOdd.toggle() }
        guard !isOdd else { return }
        values[nextIndex] = value
        nextIndex = (nextIndex + 1) % Self.capacity
        count = min(count + 1, Self.capacity)
    }

    /// Returns the regularity and the period of the movement in the last few seconds. Only periods in the given range,
    /// in seconds, are considered.
    func rhythm(periods: ClosedRange<Double> = 0...10) -> Rhythm {
        var best = Rhythm(regularity: -1, period: 0)
        for lag in Self.lags {
            let period = Double(lag) * Self.interval
            guard periods.contains(period) else { continue }
            guard let regularity = correlation(lag: lag) else { break }
            if regularity > best.regularity { best = Rhythm(regularity: regularity, period: period) }
        }
        return best
    }

    /// Returns the shortest period whose autocorrelation is close to the highest. Only periods of at least half a
    /// second are considered. The result is the period of a stride, or of a step if both legs move the device in the
    /// same way.
    func stride() -> Rhythm {
        let best = rhythm(periods: Self.minimumStride...10)
        guard best.regularity > 0 else { return best }
        for lag in Self.lags {
            let period = Double(lag) * Self.interval
            guard period >= Self.minimumStride, let regularity = correlation(lag: lag),
                regularity >= Self.shorterPeriodFactor * best.regularity
            else { continue }
            // Advances to the next local maximum of the autocorrelation.
            var top = (lag, regularity)
            while let next = correlation(lag: top.0 + 1), next > top.1, top.0 + 1 <= Self.lags.upperBound {
                top = (top.0 + 1, next)
            }
            return Rhythm(regularity: top.1, period: Double(top.0) * Self.interval)
        }
        return best
    }

    /// Returns the normalized autocorrelation at a lag, or nil if there are too few values.
    private func correlation(lag: Int) -> Double? {
        guard lag > 0, lag < Self.capacity else { return nil }
        let length = min(Self.window, count - lag)
        guard length >= Self.minimumValues else { return nil }
        var (product, newer, older) = (0.0, 0.0, 0.0)
        for back in 1...length {
            let a = values[(nextIndex &- back) & (Self.capacity - 1)]
            let b = values[(nextIndex &- back &- lag) & (Self.capacity - 1)]
            product += a * b
            newer += a * a
            older += b * b
        }
        let scale = (newer * older).squareRoot()
        return scale > 0 ? product / scale : 0
    }
}

/// A causal band-pass filter for step frequencies (0.5 to 3 Hz) at 50 samples per second. The second-order Butterworth
/// filter consists of two sections in transposed direct form II. The coefficients and the initial state are those of
/// scipy.signal: `butter(2, [0.5, 3], 'band', fs=50, output='sos')` and `sosfilt_zi`.
struct StepBandPass: Sendable {
    /// The delay at step frequencies, in seconds.
    static let delay = 0.25

    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero

    /// Initializes the state as if the input had always been `value`, so that gravity is not mistaken for a step.
    mutating func reset(to value: Double) {
        first = value * SIMD2(0.8242944688568131, -0.5650049611387201)
        second = value * SIMD2(-0.8443778344210083, 0.8443778344210096)
    }

    mutating func update(_ value: Double) -> Double {
        let middle = 0.020083365564211232 * value + first.x
        first.x = 0.040166731128422464 * value + 1.597783176997047 * middle + first.y
        first.y = 0.020083365564211232 * value - 0.692922413227624 * middle
        let output = middle + second.x
        second.x = -2 * middle + 1.9207935712581243 * output + second.y
        second.y = middle - 0.9255748202315399 * output
        return output
    }
}
