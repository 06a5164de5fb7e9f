// SPDX-License-Identifier: Apache-2.0

/// How well a magnetometer's own magnetism is known, in rising order.
package enum MagneticQuality: Int, Sendable, Hashable, Comparable {
    /// Not at all: readings are used as they come.
    case uncalibrated = -1
    /// Roughly.
    case low = 0
    /// Well enough for a compass.
    case medium = 1
    /// As well as the sensor allows.
    case high = 2

    /// By how good it is.
    package static func < (left: MagneticQuality, right: MagneticQuality) -> Bool { left.rawValue < right.rawValue }
}

/// What a magnetometer's readings have to go through: corrected = softIron · (measured - hardIron).
package struct MagneticCalibration: Sendable, Hashable {
    /// The rows of the matrix, whose determinant is 1.
    package var softIron: [SIMD3<Double>] {
        get { [matrix.row0, matrix.row1, matrix.row2] }
        set { if newValue.count == 3 { matrix = Matrix3(row0: newValue[0], row1: newValue[1], row2: newValue[2]) } }
    }
    var matrix = Matrix3.identity
    /// The device's own field, in the unit of the readings.
    package var hardIron = SIMD3<Double>.zero
    /// How good it is.
    package var quality = MagneticQuality.uncalibrated
    /// Root mean square of what the fit leaves over in one component, as a part of the field's strength; NaN before
    /// there was a fit.
    package var residual = Double.nan
    /// The part of all directions in which the field has been seen, 0 ... 1.
    package var coverage = 0.0
    /// The sides that pointed up while it was found; none without a gyroscope, where nobody can tell.
    package var sidesUp: [MagneticSurvey.Side] = []
    /// The strength of the earth's field after correction, in the unit of the readings; NaN before there was a fit.
    package var fieldStrength = Double.nan
    /// Radians below the horizon, of the field; NaN when it could not be told.
    package var dip = Double.nan

    /// No correction.
    package init() {}

    /// A reading without the device's own field.
    package func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { matrix * (measured - hardIron) }

    /// Equal in everything, where numbers that are not known (NaN) equal each other.
    package static func == (left: MagneticCalibration, right: MagneticCalibration) -> Bool {
        func same(_ a: Double, _ b: Double) -> Bool { a == b || (a.isNaN && b.isNaN) }
        return left.correctsTheSame(as: right) && left.quality == right.quality && left.coverage == right.coverage
            && left.sidesUp == right.sidesUp && same(left.residual, right.residual)
            && same(left.fieldStrength, right.fieldStrength)
            && same(left.dip, right.dip)
    }

    /// By the correction.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(matrix)
        hasher.combine(hardIron)
        hasher.combine(quality)
    }
}

extension MagneticCalibration {
    /// True when nothing in it can spoil readings: finite numbers and a matrix that neither mirrors nor squashes.
    ///
    /// A stored calibration for which this is false is not to be used; ``MagnetometerCalibrator`` ignores it.
    package var isUsable: Bool {
        guard softIron.allSatisfy(\.isFinite), hardIron.isFinite else { return false }
        // Soft iron of more than half the field is a broken fit, not a device.
        let determinant = matrix.determinant
        return determinant > 0.3 && determinant < 3 && largestStretch < 3
    }

    /// How far the corrected fields of two calibrations are apart, as a part of the field's strength.
    ///
    /// The root mean square over all directions of one component's difference; 0.02 is about one degree of heading at
    /// the equator and three in the north of Europe. NaN when no strength is known from either.
    package func difference(from other: MagneticCalibration) -> Double {
        let strength = fieldStrength > 0 ? fieldStrength : other.fieldStrength
        guard strength > 0 else { return correctsTheSame(as: other) ? 0 : .nan }
        // With m = hardIron + W⁻¹·F·u the difference is A·u·F + shift, where A is near W - W' for matrices near 1.
        let shift = other.matrix * (hardIron - other.hardIron)
        let squares = zip(softIron, other.softIron).reduce(0) { $0 + ($1.0 - $1.1).squaredLength }
        return ((squares / 3 + shift.squaredLength / (strength * strength)) / 3).squareRoot()
    }

    /// True when both give the same corrected field for each reading.
    package func correctsTheSame(as other: MagneticCalibration) -> Bool {
        matrix == other.matrix && hardIron == other.hardIron
    }

    /// An upper bound of the largest singular value.
    private var largestStretch: Double { softIron.reduce(0) { $0 + $1.squaredLength }.squareRoot() }
}
