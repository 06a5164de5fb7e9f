// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The state of as many channels of a low-pass as the vector has lanes.
struct LowPassLanes<Vector: SIMD & Sendable>: Sendable where Vector.Scalar == Double {
    private var band = Vector.zero
    private var low = Vector.zero

    /// The coefficients must have been advanced to the sample.
    @inline(__always)
    mutating func update(_ x: Vector, _ c: borrowing LowPassCoefficients) -> Vector {
        guard c.meanWeight == 0 else { return takeMean(x, c.meanWeight) }
        let middle = c.a1 * band + c.a2 * (x - low)
        let step = c.g * middle
        let output = low + step
        band = middle + middle - band
        low = output + step
        return output
    }

    @inline(never)
    private mutating func takeMean(_ x: Vector, _ weight: Double) -> Vector {
        low = weight == 1 ? x : low + weight * (x - low)
        band = .zero
        return low
    }
}
