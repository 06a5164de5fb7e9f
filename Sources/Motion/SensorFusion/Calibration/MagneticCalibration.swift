// SPDX-License-Identifier: Apache-2.0

/// The quality levels of a magnetometer calibration, in ascending order. The raw values are stored in calibrations.
package enum MagneticQuality: Int, Sendable, Hashable, Comparable {
    /// Readings are not corrected.
    case uncalibrated = -1
    case low = 0
    /// The calibration is accurate enough for a compass.
    case medium = 1
    /// The calibration is as accurate as the sensor allows.
    case high = 2

    package static func < (left: MagneticQuality, right: MagneticQuality) -> Bool { left.rawValue < right.rawValue }
}

/// A correction of magnetometer readings: corrected = softIron · (measured - hardIron).
package struct MagneticCalibration: Sendable, Hashable {
    /// The rows of the soft-iron matrix, whose determinant is 1.
    package var softIron: [SIMD3<Double>] {
        get { [matrix.row0, matrix.row1, matrix.row2] }
        set { if newValue.count == 3 { matrix = Matrix3(row0: newValue[0], row1: newValue[1], row2: newValue[2]) } }
    }
    var matrix = Matrix3.identity
    /// The device's own magnetic field, in the unit of the readings.
    package var hardIron = SIMD3<Double>.zero
    package var quality = MagneticQuality.uncalibrated
    /// The root mean square residual per component, relative to the field strength, or NaN before the first fit.
    package var residual = Double.nan
    /// The fraction of all directions in which the field has been measured, from 0 to 1.
    package var coverage = 0.0
    /// The sides of the device that faced up during calibration, or an empty array if there is no gyroscope.
    package var sidesUp: [PoseCoverage.Side] = []
    /// The strength of the corrected field, in the unit of the readings, or NaN before the first fit.
    package var fieldStrength = Double.nan
    /// The dip angle of the field in radians, positive below the horizon, or NaN if it is unknown.
    package var dip = Double.nan

    package init() {}

    package func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { matrix * (measured - hardIron) }

    /// Compares all properties. Unknown values (NaN) compare equal.
    package static func == (left: MagneticCalibration, right: MagneticCalibration) -> Bool {
        func same(_ a: Double, _ b: Double) -> Bool { a == b || (a.isNaN && b.isNaN) }
        return left.hasSameCorrection(as: right) && left.quality == right.quality && left.coverage == right.coverage
            && left.sidesUp == right.sidesUp && same(left.residual, right.residual)
            && same(left.fieldStrength, right.fieldStrength) && same(left.dip, right.dip)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(matrix)
        hasher.combine(hardIron)
        hasher.combine(quality)
    }
}

extension MagneticCalibration {
    /// True if the calibration is plausible: its numbers are finite, and its matrix involves no reflection or strong
    /// distortion. Ignore stored calibrations that are not plausible.
    package var isUsable: Bool {
        guard softIron.allSatisfy(\.isFinite), hardIron.isFinite else { return false }
        // Soft iron of more than half the field indicates a failed fit.
        let determinant = matrix.determinant
        return determinant > 0.3 && determinant < 3 && maximumStretchBound < 3
    }

    /// Returns how much the corrected fields of two calibrations differ. The result is the root mean square difference
    /// of one component over all directions, relative to the field strength. A value of 0.02 corresponds to a heading
    /// difference of about one degree at the equator and three degrees in northern Europe. If neither calibration has a
    /// known field strength, returns 0 if the corrections are equal, and NaN otherwise.
    package func difference(from other: MagneticCalibration) -> Double {
        let strength = fieldStrength > 0 ? fieldStrength : other.fieldStrength
        guard strength > 0 else { return hasSameCorrection(as: other) ? 0 : .nan }
        // A field with strength F and direction u causes the reading m = hardIron + W⁻¹·F·u. The two corrected fields
        // for this reading differ by F·A·u + shift. A is approximately W - W' if both matrices are near the identity.
        let shift = other.matrix * (hardIron - other.hardIron)
        let squares = zip(softIron, other.softIron).reduce(0) { $0 + ($1.0 - $1.1).squaredLength }
        return ((squares / 3 + shift.squaredLength / (strength * strength)) / 3).squareRoot()
    }

    package func hasSameCorrection(as other: MagneticCalibration) -> Bool {
        matrix == other.matrix && hardIron == other.hardIron
    }

    /// An upper bound for the largest singular value.
    private var maximumStretchBound: Double { softIron.reduce(0) { $0 + $1.squaredLength }.squareRoot() }
}
