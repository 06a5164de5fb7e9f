// SPDX-License-Identifier: Apache-2.0

/// What a fit has come to: corrected = matrix · measured + shift.
struct MagneticFit: Sendable, Equatable {
    var matrix = Matrix3.identity
    var shift = SIMD3<Double>.zero
    /// Of the corrected field, in the unit of the readings.
    var strength = Double.nan
    /// Radians below the horizon.
    var dip = Double.nan
    /// Root mean square of one component of what is left over, as a part of the strength.
    var residual = Double.nan
    /// One standard deviation of one component of the corrected field, over all directions, as a part of the strength.
    var uncertainty = Double.infinity
    /// The residual that the calibration in force leaves on the same samples, as a part of the fit's own strength.
    var residualInForce = Double.nan
    /// One standard deviation of the heading at the samples, radians; infinite without attitudes.
    var headingDeviation = Double.infinity
    /// By how much the headings differ at the samples that the fit and the calibration in force give: root mean square,
    /// radians; NaN without attitudes.
    var headingChange = Double.nan
    /// What the latest samples count in it, as a part of what they would if they fitted; 1 without attitudes.
    var newestWeight = 1.0
    /// How uncertain the heading is, however the device is held; nil without attitudes.
    var doubt: HeadingDoubt?
    /// Of the gyroscope, device axes, radians per second; zero without attitudes.
    var bias = SIMD3<Double>.zero
    /// Seconds by which the magnetometer is behind the attitude.
    var latency = 0.0

    /// As a calibration with a determinant of 1; nil when it is none that a device can have.
    func calibration(coverage: Double) -> MagneticCalibration? {
        let volume = matrix.determinant
        guard volume.isFinite, volume > 0.05, shift.isFinite, strength.isFinite, strength > 0 else { return nil }
        let scale = 1 / MagneticFit.cubeRoot(volume)
        var result = MagneticCalibration()
        result.matrix = matrix * scale
        // shift = -W·hardIron.
        result.hardIron = -matrix.origin(of: shift) / volume
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
