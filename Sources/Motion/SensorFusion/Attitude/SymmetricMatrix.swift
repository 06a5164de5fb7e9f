// SPDX-License-Identifier: Apache-2.0

/// A symmetric 3 × 3 matrix.
struct SymmetricMatrix: Sendable {
    var xx: Double
    var yy: Double
    var zz: Double
    private var xy = 0.0
    private var xz = 0.0
    private var yz = 0.0

    init(diagonal value: Double) { (xx, yy, zz) = (value, value, value) }

    /// Returns the product of the matrix and a vector; its fourth lane is zero.
    @inline(__always)
    static func * (m: borrowing SymmetricMatrix, v: SIMD4<Double>) -> SIMD4<Double> {
        let x = m.xx * v.x + m.xy * v.y + m.xz * v.z
        let y = m.xy * v.x + m.yy * v.y + m.yz * v.z
        let z = m.xz * v.x + m.yz * v.y + m.zz * v.z
        return SIMD4(x, y, z, 0)
    }

    /// Subtracts factor · v · vᵀ.
    @inline(__always)
    mutating func subtract(_ v: SIMD4<Double>, times factor: Double) {
        let x = factor * v.x
        let y = factor * v.y
        let z = factor * v.z
        xx -= x * v.x
        xy -= x * v.y
        xz -= x * v.z
        yy -= y * v.y
        yz -= y * v.z
        zz -= z * v.z
    }

    /// An upper bound of the largest eigenvalue: the largest absolute row sum (Gershgorin).
    var eigenvalueBound: Double {
        let x = abs(xx) + abs(xy) + abs(xz)
        let y = abs(xy) + abs(yy) + abs(yz)
        let z = abs(xz) + abs(yz) + abs(zz)
        return max(x, max(y, z))
    }
}
