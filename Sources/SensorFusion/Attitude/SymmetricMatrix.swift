// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A symmetric 3x3 matrix by its columns; the fourth lane is zero.
struct SymmetricMatrix: Sendable {
    var x: SIMD4<Double>
    var y: SIMD4<Double>
    var z: SIMD4<Double>

    init(diagonal value: Double) {
        x = SIMD4(value, 0, 0, 0)
        y = SIMD4(0, value, 0, 0)
        z = SIMD4(0, 0, value, 0)
    }

    /// The matrix times a vector.
    @inline(__always)
    static func * (matrix: borrowing SymmetricMatrix, v: SIMD4<Double>) -> SIMD4<Double> {
        matrix.x * v.x + matrix.y * v.y + matrix.z * v.z
    }

    /// Takes factor · v · vᵀ away; stays exactly symmetric.
    @inline(__always)
    mutating func subtract(_ v: SIMD4<Double>, times factor: Double) {
        x -= v * v.x * factor
        y -= v * v.y * factor
        z -= v * v.z * factor
    }

    /// A bound of the largest eigenvalue: the largest absolute sum of a row (Gershgorin).
    var eigenvalueBound: Double {
        max(Self.sum(x), max(Self.sum(y), Self.sum(z)))
    }

    private static func sum(_ v: SIMD4<Double>) -> Double {
        abs(v.x) + abs(v.y) + abs(v.z)
    }
}
