// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The state of four channels of a low-pass.
struct LowPassLanes: Sendable {
    private var band = SIMD4<Double>.zero
    private var low = SIMD4<Double>.zero

    /// The coefficients must have been advanced to the sample.
    @inline(__always)
    mutating func update(_ x: SIMD4<Double>, _ c: borrowing LowPassCoefficients) -> SIMD4<Double> {
        guard c.meanWeight == 0 else {
            if c.meanWeight == 1 {
                band = .zero
                low = x
            } else {
                low += c.meanWeight * (x - low)
            }
            return low
        }
        let high = x - low
        let v1 = c.a1 * band + c.a2 * high
        let v2 = low + c.a2 * band + c.a3 * high
        band = v1 + v1 - band
        low = v2 + v2 - low
        return v2
    }
}
