// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension MagneticCalibration {
    /// True when it corrects at all: false for readings that are used as they come.
    public var correctsReadings: Bool { hardIron != .zero || !isIdentityMatrix }

    /// True when nothing in it can spoil readings: finite numbers and a matrix that neither mirrors nor squashes.
    ///
    /// A stored calibration for which this is false is not to be used; ``MagnetometerCalibrator`` ignores it.
    public var isUsable: Bool {
        guard row0.isFinite, row1.isFinite, row2.isFinite, hardIron.isFinite else { return false }
        // Soft iron of more than half the field is a broken fit, not a device.
        return determinant > 0.3 && determinant < 3 && largestStretch < 3
    }

    /// How far the corrected fields of two calibrations are apart, as a part of the field's strength.
    ///
    /// The root mean square over all directions of one component's difference; 0.02 is about one degree of heading at
    /// the equator and three in the north of Europe. NaN when no strength is known from either.
    public func difference(from other: MagneticCalibration) -> Double {
        let strength = fieldStrength > 0 ? fieldStrength : other.fieldStrength
        guard strength > 0 else { return correctsTheSame(as: other) ? 0 : .nan }
        // With m = hardIron + W⁻¹·F·u the difference is A·u·F + shift, where A is near W - W' for matrices near 1.
        let shift = SIMD3(
            (other.row0 * (hardIron - other.hardIron)).sum(), (other.row1 * (hardIron - other.hardIron)).sum(),
            (other.row2 * (hardIron - other.hardIron)).sum())
        let squares =
            (row0 - other.row0).squaredLength + (row1 - other.row1).squaredLength
            + (row2 - other.row2).squaredLength
        return ((squares / 3 + shift.squaredLength / (strength * strength)) / 3).squareRoot()
    }

    /// True when both give the same corrected field for each reading.
    public func correctsTheSame(as other: MagneticCalibration) -> Bool {
        row0 == other.row0 && row1 == other.row1 && row2 == other.row2 && hardIron == other.hardIron
    }

    var isIdentityMatrix: Bool { row0 == [1, 0, 0] && row1 == [0, 1, 0] && row2 == [0, 0, 1] }

    var determinant: Double { (row0 * Quaternion.cross(row1, row2)).sum() }

    /// An upper bound of the largest singular value.
    var largestStretch: Double {
        (row0.squaredLength + row1.squaredLength + row2.squaredLength).squareRoot()
    }
}
