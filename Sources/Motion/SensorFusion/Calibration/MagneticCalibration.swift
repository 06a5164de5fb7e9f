// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a magnetometer's readings have to go through: corrected = softIron · (measured - hardIron).
public struct MagneticCalibration: Sendable, Hashable {
    /// The rows of the matrix, whose determinant is 1.
    public var softIron: [SIMD3<Double>] {
        get { [row0, row1, row2] }
        set { if newValue.count == 3 { (row0, row1, row2) = (newValue[0], newValue[1], newValue[2]) } }
    }
    var row0 = SIMD3<Double>(1, 0, 0)
    var row1 = SIMD3<Double>(0, 1, 0)
    var row2 = SIMD3<Double>(0, 0, 1)
    /// The device's own field, in the unit of the readings.
    public var hardIron = SIMD3<Double>.zero
    /// How good it is.
    public var quality = MagneticQuality.uncalibrated
    /// Root mean square of what the fit leaves over in one component, as a part of the field's strength; NaN before
    /// there was a fit.
    public var residual = Double.nan
    /// The part of all directions in which the field has been seen, 0 ... 1.
    public var coverage = 0.0
    /// The strength of the earth's field after correction, in the unit of the readings; NaN before there was a fit.
    public var fieldStrength = Double.nan
    /// Radians below the horizon, of the field; NaN when it could not be told.
    public var dip = Double.nan

    /// No correction.
    public init() {}

    /// A reading without the device's own field.
    public func apply(to measured: SIMD3<Double>) -> SIMD3<Double> {
        let m = measured - hardIron
        return SIMD3((row0 * m).sum(), (row1 * m).sum(), (row2 * m).sum())
    }

    /// Equal in everything, where numbers that are not known (NaN) equal each other.
    public static func == (left: MagneticCalibration, right: MagneticCalibration) -> Bool {
        func same(_ a: Double, _ b: Double) -> Bool { a == b || (a.isNaN && b.isNaN) }
        return left.correctsTheSame(as: right) && left.quality == right.quality && left.coverage == right.coverage
            && same(left.residual, right.residual) && same(left.fieldStrength, right.fieldStrength)
            && same(left.dip, right.dip)
    }

    /// By the correction.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(row0)
        hasher.combine(row1)
        hasher.combine(row2)
        hasher.combine(hardIron)
        hasher.combine(quality)
    }
}
