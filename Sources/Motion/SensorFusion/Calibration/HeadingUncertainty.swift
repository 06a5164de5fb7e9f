// SPDX-License-Identifier: Apache-2.0

/// The heading uncertainty caused by errors in the magnetometer correction. It depends on the device orientation. For
/// example, a correction computed from rotations about the vertical is accurate only while the device remains level.
struct HeadingUncertainty: Sendable, Equatable {
    /// The variance of an unknown heading, in square radians.
    private static let unknownHeadingVariance = Double.pi * .pi

    private let scale: FieldScale
    private let matrix: Matrix3
    private let shift: SIMD3<Double>
    /// The covariance of the twelve correction parameters for scaled fields: the lower triangle, row by row.
    private var covariance = [Double](repeating: 0, count: 78)
    /// A symmetric matrix A that describes the effect of attitude errors on the corrected, scaled field. Along a unit
    /// vector u, the standard deviation of the field is |A·u|.
    var attitudeDeviation = Matrix3(row0: .zero, row1: .zero, row2: .zero)
    /// The heading variance caused by other known errors, in square radians.
    var additionalVariance = 0.0

    init(scale: FieldScale, matrix: Matrix3, shift: SIMD3<Double>) {
        (self.scale, self.matrix, self.shift) = (scale, matrix, shift)
    }

    mutating func set(_ row: Int, _ column: Int, _ value: Double) { covariance[row * (row + 1) / 2 + column] = value }

    /// Returns the heading variance, in square radians, for a measured field. `attitude` is the rotation from device
    /// axes to earth axes with an arbitrary heading.
    func headingVariance(_ field: SIMD3<Double>, attitude: Quaternion) -> Double {
        let back = attitude.conjugate
        let variance = headingVariance(
            scaled: scale.scaled(field), east: back.rotate([1, 0, 0]), north: back.rotate([0, 1, 0]))
        return min(variance + additionalVariance, Self.unknownHeadingVariance)
    }

    /// Returns the heading variance for a scaled field. `east` and `north` are perpendicular horizontal directions in
    /// device axes with an arbitrary heading.
    func headingVariance(scaled field: SIMD3<Double>, east: SIMD3<Double>, north: SIMD3<Double>) -> Double {
        let corrected = (matrix * scale.field(field) + shift) / scale.unit
        let (x, y) = ((corrected * east).sum(), (corrected * north).sum())
        let square = x * x + y * y
        guard square > 0 else { return Self.unknownHeadingVariance }
        // The horizontal direction perpendicular to the field, in device axes. Errors along this direction rotate the
        // heading.
        let across = (x * north - y * east) / square.squareRoot()
        let sample = SIMD4(field, 1)
        var variance = (attitudeDeviation * across).squaredLength
        var index = 0
        for row in 0..<12 {
            let own = across[row / 4] * sample[row % 4]
            for column in 0..<row {
                variance += 2 * own * across[column / 4] * sample[column % 4] * covariance[index]
                index += 1
            }
            variance += own * own * covariance[index]
            index += 1
        }
        let relative = variance / square
        return relative.isFinite ? min(max(relative, 0), Self.unknownHeadingVariance) : Self.unknownHeadingVariance
    }
}
