// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the inclination's corrections say about the gyroscope's bias.
///
/// A bias turns the inertial frame, and the corrections turn it back, later by the low-pass of the acceleration. The
/// attitude's matrix and the bias in earth axes go through the same low-pass, so that both can be compared.
struct MotionBias: Sendable {
    private var x = LowPassLanes()
    private var y = LowPassLanes()
    private var z = LowPassLanes()

    /// The low-passed rows of the attitude's matrix, and the bias that was assumed, in earth axes (x and y).
    struct Averages {
        let east: SIMD4<Double>
        let north: SIMD4<Double>
        let up: SIMD4<Double>
        let biasEast: Double
        let biasNorth: Double
    }

    @inline(__always)
    mutating func update(
        _ q: Quaternion, bias: SIMD4<Double>, _ coefficients: borrowing LowPassCoefficients
    ) -> Averages {
        let p = q.components
        let xx = p.x * p.x, yy = p.y * p.y, zz = p.z * p.z
        let xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z
        let wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z
        let east = SIMD4(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 0)
        let north = SIMD4(2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), 0)
        let up = SIMD4(2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy), 0)
        // The bias rides in the free fourth lanes.
        let first = x.update(SIMD4(east.x, east.y, east.z, (east * bias).sum()), coefficients)
        let second = y.update(SIMD4(north.x, north.y, north.z, (north * bias).sum()), coefficients)
        let third = z.update(up, coefficients)
        return Averages(
            east: first.replacing(with: 0, where: Self.fourth), north: second.replacing(with: 0, where: Self.fourth),
            up: third, biasEast: first.w, biasNorth: second.w)
    }

    private static let fourth: SIMDMask<SIMD4<Int64>> = {
        var mask = SIMDMask<SIMD4<Int64>>(repeating: false)
        mask[3] = true
        return mask
    }()
}
