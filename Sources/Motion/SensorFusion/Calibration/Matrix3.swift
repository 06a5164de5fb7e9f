// SPDX-License-Identifier: Apache-2.0

package struct Matrix3: Sendable, Hashable {
    package var row0: SIMD3<Double>
    package var row1: SIMD3<Double>
    package var row2: SIMD3<Double>

    package init(row0: SIMD3<Double>, row1: SIMD3<Double>, row2: SIMD3<Double>) {
        (self.row0, self.row1, self.row2) = (row0, row1, row2)
    }

    package static let identity = Matrix3(row0: [1, 0, 0], row1: [0, 1, 0], row2: [0, 0, 1])

    package static func * (matrix: Matrix3, v: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((matrix.row0 * v).sum(), (matrix.row1 * v).sum(), (matrix.row2 * v).sum())
    }

    static func * (matrix: Matrix3, factor: Double) -> Matrix3 {
        Matrix3(row0: matrix.row0 * factor, row1: matrix.row1 * factor, row2: matrix.row2 * factor)
    }

    package var determinant: Double { (row0 * Quaternion.cross(row1, row2)).sum() }

    /// Returns the solution x of M·x = v, multiplied by the determinant of M (Cramer's rule).
    package func solveScaled(_ v: SIMD3<Double>) -> SIMD3<Double> {
        let (a, b, c) = (Quaternion.cross(row1, row2), Quaternion.cross(row2, row0), Quaternion.cross(row0, row1))
        return a * v.x + b * v.y + c * v.z
    }
}

/// A small linear system with a symmetric positive definite matrix, solved by Cholesky's method. The storage is
/// allocated only once.
package struct PositiveSystem: Sendable {
    package let size: Int
    /// The matrix in row-major order. Only its lower triangle is read.
    private var matrix: [Double]
    private var factor: [Double]
    private var work: [Double]

    package init(size: Int) {
        self.size = size
        matrix = [Double](repeating: 0, count: size * size)
        factor = matrix
        work = [Double](repeating: 0, count: size)
    }

    package subscript(row: Int, column: Int) -> Double {
        get { matrix[row * size + column] }
        set { matrix[row * size + column] = newValue }
    }

    package mutating func clear() { for index in matrix.indices { matrix[index] = 0 } }

    /// Factorizes the matrix into L·Lᵀ. Returns false if the matrix is nearly singular or not positive definite.
    package mutating func factorize() -> Bool {
        var largest = 0.0
        for index in 0..<size { largest = max(largest, matrix[index * size + index]) }
        guard largest.isFinite, largest > 0 else { return false }
        for row in 0..<size {
            for column in 0...row {
                var sum = matrix[row * size + column]
                for k in 0..<column { sum -= factor[row * size + k] * factor[column * size + k] }
                if row == column {
                    guard sum > largest * 1e-14 else { return false }
                    factor[row * size + row] = sum.squareRoot()
                } else {
                    factor[row * size + column] = sum / factor[column * size + column]
                }
            }
        }
        return true
    }

    /// Replaces the right-hand side with the solution. Requires a successful ``factorize()``.
    package mutating func solve(_ vector: inout [Double]) {
        for row in 0..<size {
            var sum = vector[row]
            for k in 0..<row { sum -= factor[row * size + k] * work[k] }
            work[row] = sum / factor[row * size + row]
        }
        for row in stride(from: size - 1, through: 0, by: -1) {
            var sum = work[row]
            for k in (row + 1)..<max(size, row + 1) { sum -= factor[k * size + row] * vector[k] }
            vector[row] = sum / factor[row * size + row]
        }
    }
}
