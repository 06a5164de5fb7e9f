// SPDX-License-Identifier: Apache-2.0

/// The result of a fit: corrected = matrix · measured + shift.
struct MagneticFit: Sendable, Equatable {
    var matrix = Matrix3.identity
    var shift = SIMD3<Double>.zero
    /// The strength of the corrected field, in the unit of the readings.
    var strength = Double.nan
    /// The dip angle in radians, positive below the horizon.
    var dip = Double.nan
    /// The root mean square residual in one component, relative to the strength.
    var residual = Double.nan
    /// The standard deviation of one component of the corrected field, over all directions, relative to the strength.
    var uncertainty = Double.infinity
    /// The residual of the current calibration with the same samples, relative to the strength of the fit.
    var currentResidual = Double.nan
    /// The standard deviation of the heading at the samples, in radians; infinite without attitudes.
    var headingDeviation = Double.infinity
    /// The root mean square difference at the samples between the headings of the fit and of the current calibration,
    /// in radians; NaN without attitudes.
    var headingChange = Double.nan
    /// The weight of the newest samples, relative to their weight without outliers; 1 without attitudes.
    var newestWeight = 1.0
    /// The uncertainty of the heading for any pose of the device; nil without attitudes.
    var headingUncertainty: HeadingUncertainty?
    /// The gyroscope bias in rad/s, in the axes of the device; zero without attitudes.
    var bias = SIMD3<Double>.zero
    /// The delay of the magnetometer relative to the attitude, in seconds.
    var latency = 0.0

    /// Returns the fit as a calibration with a determinant of 1; nil if it is implausible for a device.
    func calibration(coverage: Double) -> MagneticCalibration? {
        let volume = matrix.determinant
        guard volume.isFinite, volume > 0.05, shift.isFinite, strength.isFinite, strength > 0 else { return nil }
        let scale = 1 / MagneticFit.cubeRoot(volume)
        var result = MagneticCalibration()
        result.matrix = matrix * scale
        // shift = -W·hardIron.
        result.hardIron = -matrix.solveScaled(shift) / volume
        result.fieldStrength = strength * scale
        result.dip = dip
        result.residual = residual
        result.coverage = coverage
        guard result.isUsable, result.hardIron.length < 30 * result.fieldStrength else { return nil }
        return result
    }

    /// Returns the cube root, computed by Newton's method. For a number near one, the function of the C library is not
    /// needed.
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
