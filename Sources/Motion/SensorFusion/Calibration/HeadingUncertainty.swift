// SPDX-License-Identifier: Apache-2.0

/// The uncertainty of the heading due to the magnetometer correction. It depends on the pose of the device: a
/// correction found from rotations about the vertical is accurate while the device remains level, but not after it is
/// tilted.
struct HeadingUncertainty: Sendable, Equatable {
    /// The variance of an unknown heading. Used if the horizontal field is zero or unknown.
    private static let unknownHeadingVariance = Double.pi * .pi

    private let scale: FieldScale
    private let matrix: Matrix3
    private let shift: SIMD3<Double>
    /// The covariance of the twelve parameters of the correction, for scaled fields: the lower triangle, row by row.
    private var covariance = [Double](repeating: 0, count: 78)
    /// The standard deviation of the corrected, scaled field due to attitude errors: the length of the product of this
    /// symmetric matrix with a direction.
    var attitudeDeviation = Matrix3(row0: .zero, row1: .zero, row2: .zero)
    /// The variance of the heading due to other known errors.
    var additionalVariance = 0.0

    init(scale: FieldScale, matrix: Matrix3, shift: SIMD3<Double>) {
        (self.scale, self.matrix, self.shift) = (scale, matrix, shift)
    }

    mutating func set(_ row: Int, _ column: Int, _ value: Double) { covariance[row * (row + 1) / 2 + column] = value }

    /// Returns the variance of the heading in square radians for a measured field and the rotation from device to earth
    /// axes with z up, with an arbitrary heading.
    func headingVariance(_ field: SIMD3<Double>, attitude: Quaternion) -> Double {
        let back = attitude.conjugate
        let found = headingVariance(
            scaled: scale.scaled(field), east: back.rotate([1, 0, 0]), north: back.rotate([0, 1, 0]))
        return min(found + additionalVariance, Self.unknownHeadingVariance)
    }

    /// Returns the variance for a scaled field and two horizontal directions in device axes, with an arbitrary heading.
    func headingVariance(scaled field: SIMD3<Double>, east: SIMD3<Double>, north: SIMD3<Double>) -> Double {
        let corrected = (matrix * scale.field(field) + shift) / scale.unit
        let (x, y) = ((corrected * east).sum(), (corrected * north).sum())
        let square = x * x + y * y
        guard square > 0 else { return Self.unknownHeadingVariance }
        // The horizontal direction perpendicular to the field, in the axes of the device. Errors of the corrected field
        // along it rotate the heading.
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
