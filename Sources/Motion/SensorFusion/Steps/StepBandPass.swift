// SPDX-License-Identifier: Apache-2.0

/// Lets the frequencies of steps pass, half a hertz to three, at 50 samples a second.
///
/// A Butterworth band-pass of second order (four poles), in one direction, as two sections in transposed direct form
/// II. The coefficients and the start are those of scipy.signal: `butter(2, [0.5, 3], 'band', fs=50, output='sos')`
/// and `sosfilt_zi`. It is late by about a quarter of a second.
struct StepBandPass: Sendable {
    /// Seconds by which it is late for what has the pace of steps.
    static let delay = 0.25

    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero

    /// Begins as if the value had always been there, so that gravity is no step.
    mutating func start(_ value: Double) {
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
