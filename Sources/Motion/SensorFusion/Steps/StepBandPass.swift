// SPDX-License-Identifier: Apache-2.0

/// A band-pass filter for the frequencies of steps, 0.5 to 3 Hz, at 50 samples per second.
///
/// A causal second-order Butterworth band-pass filter (four poles), as two sections in transposed direct form II. The
/// coefficients and the initial state are those of scipy.signal: `butter(2, [0.5, 3], 'band', fs=50, output='sos')` and
/// `sosfilt_zi`. The filter delays the signal by about a quarter of a second.
struct StepBandPass: Sendable {
    /// The delay at step frequencies, in seconds.
    static let delay = 0.25

    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero

    /// Initializes the state as if the input had always been `value`, so that gravity does not cause a step.
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
