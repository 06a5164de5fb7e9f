// SPDX-License-Identifier: Apache-2.0

/// A 3 × 3 matrix.
package struct Matrix3: Sendable, Hashable {
    /// The first row.
    package var row0: SIMD3<Double>
    /// The second row.
    package var row1: SIMD3<Double>
    /// The third row.
    package var row2: SIMD3<Double>

    /// Creates a matrix from its rows.
    package init(row0: SIMD3<Double>, row1: SIMD3<Double>, row2: SIMD3<Double>) {
        self.row0 = row0
        self.row1 = row1
        self.row2 = row2
    }

    /// The identity matrix.
    package static let identity = Matrix3(row0: [1, 0, 0], row1: [0, 1, 0], row2: [0, 0, 1])

    /// Returns the product of a matrix and a vector.
    package static func * (matrix: Matrix3, v: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((matrix.row0 * v).sum(), (matrix.row1 * v).sum(), (matrix.row2 * v).sum())
    }

    static func * (matrix: Matrix3, factor: Double) -> Matrix3 {
        Matrix3(row0: matrix.row0 * factor, row1: matrix.row1 * factor, row2: matrix.row2 * factor)
    }

    package var determinant: Double { (row0 * Quaternion.cross(row1, row2)).sum() }

    /// Returns the vector whose product with the matrix is `v`, multiplied by the determinant (Cramer's rule).
    package func solveScaled(_ v: SIMD3<Double>) -> SIMD3<Double> {
        let (a, b, c) = (Quaternion.cross(row1, row2), Quaternion.cross(row2, row0), Quaternion.cross(row0, row1))
        return a * v.x + b * v.y + c * v.z
    }
}
