// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a fit has come to: corrected = rows · measured + shift.
struct MagneticFit: Sendable, Equatable {
    var row0 = SIMD3<Double>(1, 0, 0)
    var row1 = SIMD3<Double>(0, 1, 0)
    var row2 = SIMD3<Double>(0, 0, 1)
    var shift = SIMD3<Double>.zero
    /// Of the corrected field, in the unit of the readings.
    var strength = Double.nan
    /// Radians below the horizon.
    var dip = Double.nan
    /// Root mean square of one component of what is left over, as a part of the strength.
    var residual = Double.nan
    /// One standard deviation of one component of the corrected field, over all directions, as a part of the strength.
    var uncertainty = Double.infinity
    /// The residual that the calibration in force leaves on the same samples.
    var residualInForce = Double.nan
    /// Seconds by which the magnetometer is behind the attitude.
    var latency = 0.0

    var determinant: Double { (row0 * Quaternion.cross(row1, row2)).sum() }

    /// As a calibration with a determinant of 1; nil when it is none that a device can have.
    func calibration(coverage: Double) -> MagneticCalibration? {
        let volume = determinant
        guard volume.isFinite, volume > 0.05, shift.isFinite, strength.isFinite, strength > 0 else { return nil }
        let scale = 1 / MagneticFit.cubeRoot(volume)
        var result = MagneticCalibration()
        (result.row0, result.row1, result.row2) = (row0 * scale, row1 * scale, row2 * scale)
        // shift = -W·hardIron, by Cramer's rule.
        let (a, b, c) = (Quaternion.cross(row1, row2), Quaternion.cross(row2, row0), Quaternion.cross(row0, row1))
        result.hardIron = -(a * shift.x + b * shift.y + c * shift.z) / volume
        result.fieldStrength = strength * scale
        result.dip = dip
        result.residual = residual
        result.coverage = coverage
        guard result.isUsable, result.hardIron.length < 30 * result.fieldStrength else { return nil }
        return result
    }

    /// Newton's method: the C library's is not needed for a number near one.
    static func cubeRoot(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var root = value > 1 ? value : 1
        for _ in 0..<200 {
            let next = root - (root * root * root - value) / (3 * root * root)
            if abs(next - root) <= 1e-16 * root { return next }
            root = next
        }
        return root
    }
}
