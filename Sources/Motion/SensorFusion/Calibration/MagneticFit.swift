// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The result of a fit: corrected = matrix · measured + shift.
struct MagneticFit: Sendable, Equatable {
    var matrix = Matrix3.identity
    var shift = SIMD3<Double>.zero
    /// The strength of the corrected field, in the unit of the readings.
    var strength = Double.nan
    /// The dip angle in radians, positive below the horizon.
    var dip = Double.nan
    /// The root mean square residual per component, relative to the strength.
    var residual = Double.nan
    /// The standard deviation of a component of the corrected field, averaged over all directions and relative to the
    /// strength.
    var uncertainty = Double.infinity
    /// The residual of the current calibration for the same samples, relative to the fit's field strength.
    var currentResidual = Double.nan
    /// The standard deviation of the heading in radians, averaged over the samples. It is infinite without attitudes.
    var headingDeviation = Double.infinity
    /// The root mean square difference between the headings from the fit and from the current calibration, in radians.
    /// It is NaN without attitudes.
    var headingChange = Double.nan
    /// The total weight of the newest samples, as a fraction of their total weight in a perfect fit. It is 1 if there
    /// are no attitudes.
    var newestWeight = 1.0
    /// The heading uncertainty for any device orientation, or nil if there are no attitudes.
    var headingUncertainty: HeadingUncertainty?
    /// The gyroscope bias in rad/s, in device axes. It is zero if there are no attitudes.
    var bias = SIMD3<Double>.zero
    /// The delay of the magnetometer relative to the attitude, in seconds.
    var latency = 0.0

    /// Returns the fit as a calibration whose matrix has a determinant of 1, or nil if the calibration is implausible.
    func calibration(coverage: Double) -> MagneticCalibration? {
        let volume = matrix.determinant
        guard volume.isFinite, volume > 0.05, shift.isFinite, strength.isFinite, strength > 0 else { return nil }
        let scale = 1 / cbrt(volume)
        var result = MagneticCalibration()
        result.matrix = matrix * scale
        result.hardIron = -matrix.solveScaled(shift) / volume
        result.fieldStrength = strength * scale
        result.dip = dip
        result.residual = residual
        result.coverage = coverage
        guard result.isUsable, result.hardIron.length < 30 * result.fieldStrength else { return nil }
        return result
    }
}

/// A magnetometer reading that is kept for fitting.
struct MagneticSample: Sendable, Equatable {
    var field: SIMD3<Double>
    /// The rotation from device axes to earth axes with an arbitrary heading. It is the identity if there is no
    /// gyroscope.
    var attitude: Quaternion
    /// The angular rate in rad/s, in device axes, or zero if it is unknown.
    var rate: SIMD3<Double>
    /// The integral of the up direction in device axes since the start of the window, in seconds. The product of the
    /// integral and the gyroscope bias is the heading drift.
    var drift = SIMD3<Double>.zero
    /// The part of the heading drift, in radians, that has already been removed from the attitude.
    var correctedDrift = 0.0
    /// The index of the time window. All attitudes in a window have the same heading error.
    var window: Int
    /// The sample's position in the order of insertion. Newer samples have larger numbers.
    var sequenceNumber: Int64 = 0
    /// The cell in ``SampleReservoir``.
    var cell: Int
}

/// The mean of the readings and their root mean square distance from that mean. Scaling the readings with these two
/// values brings the parameters of a fit close to one, regardless of the unit and the hard iron.
struct FieldScale: Sendable, Equatable {
    private(set) var center = SIMD3<Double>.zero
    private(set) var unit = 1.0

    init() {}

    /// Returns nil if there are no samples, if all samples are equal, or if a sample is infinite or NaN.
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
