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
    /// The root mean square difference between the headings of the fit and of the current calibration, in radians; NaN
    /// without attitudes.
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

    /// Returns the cube root by Newton's method, which suffices for numbers near one.
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

struct MagneticSample: Sendable, Equatable {
    var field: SIMD3<Double>
    /// The rotation from device to earth axes with an arbitrary heading; identity without a gyroscope.
    var attitude: Quaternion
    /// The angular rate in rad/s, in the axes of the device.
    var rate: SIMD3<Double>
    /// The integral of the direction up in device axes since the window began, in seconds. Its product with the
    /// gyroscope bias is the drift of the heading.
    var drift = SIMD3<Double>.zero
    /// The part of the drift angle that is already corrected in the attitude, in radians.
    var correctedDrift = 0.0
    /// The index of the window. Samples of one window have the same heading error of the attitude.
    var window: Int
    /// The insertion index, which orders samples by age.
    var age: Int64 = 0
    /// The index of the cell of the direction or attitude.
    var cell: Int
}

/// The mean of the readings and their root mean square distance from it. Scaled by them, the parameters of a fit are of
/// order one, for any unit of the magnetometer and any hard iron.
struct FieldScale: Sendable, Equatable {
    private(set) var center = SIMD3<Double>.zero
    private(set) var unit = 1.0

    init() {}

    /// Creates the scale of some samples; nil if they are all equal, infinite or NaN.
    init?(_ samples: ArraySlice<MagneticSample>) {
        guard !samples.isEmpty else { return nil }
        let count = Double(samples.count)
        var sum = SIMD3<Double>.zero
        for sample in samples { sum += sample.field }
        center = sum / count
        var squares = 0.0
        for sample in samples { squares += (sample.field - center).squaredLength }
        unit = (squares / count).squareRoot()
        guard unit.isFinite, unit > 0, center.isFinite else { return nil }
    }

    func scaled(_ field: SIMD3<Double>) -> SIMD3<Double> { (field - center) / unit }

    func field(_ scaled: SIMD3<Double>) -> SIMD3<Double> { scaled * unit + center }
}
