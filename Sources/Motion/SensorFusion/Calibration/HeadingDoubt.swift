// SPDX-License-Identifier: Apache-2.0

/// How well a correction of the magnetometer tells the heading, which depends on how the device is held: what turns about
/// the vertical alone have shown is enough for as long as it stays level, and says nothing once it is tipped over.
struct HeadingDoubt: Sendable, Equatable {
    /// The heading's variance where the field has no horizontal part to speak of, or none that is known: any.
    private static let most = Double.pi * .pi

    private let scale: FieldScale
    private let matrix: Matrix3
    private let shift: SIMD3<Double>
    /// The covariance of the correction's twelve numbers, for scaled fields: row by row, up to the diagonal.
    private var covariance = [Double](repeating: 0, count: 78)
    /// The standard deviation of the corrected, scaled field due to attitude errors: the length of the product of this
    /// symmetric matrix with a direction.
    var unseen = Matrix3(row0: .zero, row1: .zero, row2: .zero)
    /// What is known to be wrong besides, as a variance of the heading.
    var known = 0.0

    init(scale: FieldScale, matrix: Matrix3, shift: SIMD3<Double>) {
        (self.scale, self.matrix, self.shift) = (scale, matrix, shift)
    }

    mutating func set(_ row: Int, _ column: Int, _ value: Double) { covariance[row * (row + 1) / 2 + column] = value }

    /// The variance of the heading, square radians.
    ///
    /// - Parameters:
    ///   - field: as measured.
    ///   - attitude: from the device's axes to earth axes with z up, of any heading.
    func headingVariance(_ field: SIMD3<Double>, attitude: Quaternion) -> Double {
        let back = attitude.conjugate
        let found = headingVariance(
            scaled: scale.scaled(field), east: back.rotate([1, 0, 0]), north: back.rotate([0, 1, 0]))
        return min(found + known, Self.most)
    }

    /// The same for a scaled field and two horizontal directions in the device's axes, of any heading.
    func headingVariance(scaled field: SIMD3<Double>, east: SIMD3<Double>, north: SIMD3<Double>) -> Double {
        let corrected = (matrix * scale.field(field) + shift) / scale.unit
        let (x, y) = ((corrected * east).sum(), (corrected * north).sum())
        let square = x * x + y * y
        guard square > 0 else { return Self.most }
        // Across the horizontal field, in the device's axes: what moves the corrected field along it turns the heading.
        let across = (x * north - y * east) / square.squareRoot()
        let sample = SIMD4(field, 1)
        var variance = (unseen * across).squaredLength
        var place = 0
        for row in 0..<12 {
            let own = across[row / 4] * sample[row % 4]
            for column in 0..<row {
                variance += 2 * own * across[column / 4] * sample[column % 4] * covariance[place]
                place += 1
            }
            variance += own * own * covariance[place]
            place += 1
        }
        let relative = variance / square
        return relative.isFinite ? min(max(relative, 0), Self.most) : Self.most
    }
}
