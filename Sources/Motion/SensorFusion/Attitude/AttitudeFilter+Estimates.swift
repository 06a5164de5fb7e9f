// SPDX-License-Identifier: Apache-2.0

/// The filter's estimates. The getters are inlined so that calls do not copy the whole filter, which is large.
extension AttitudeFilter {
    /// The rotation from device axes to earth axes, extrapolated by the gyroscope's delay. The heading starts at an
    /// arbitrary angle and drifts with the gyroscope.
    @inlinable public var attitude: Quaternion {
        Self.extrapolated(inclination, inertial, rateWithoutBias, settings.gyroscopeDelay)
    }

    /// The angle by which ``attitude`` is rotated about the vertical to obtain ``magneticAttitude``, in radians,
    /// counterclockwise as seen from above. It is nil before the first magnetometer sample.
    @inlinable public var northOffset: Double? { north.offset }
    /// The rotation from device axes to earth axes with y pointing to magnetic north, or nil before the first
    /// magnetometer sample.
    @inlinable public var magneticAttitude: Quaternion? { north.rotated(attitude) }
    /// The latest angular rate minus the bias, in rad/s.
    @inlinable public var rotationRate: SIMD3<Double> { SIMD3(rateWithoutBias.x, rateWithoutBias.y, rateWithoutBias.z) }
    /// The gyroscope bias, in rad/s.
    @inlinable public var bias: SIMD3<Double> { SIMD3(estimator.bias.x, estimator.bias.y, estimator.bias.z) }
    /// The uncertainty of the bias: an upper bound for its standard deviation on any axis, in rad/s.
    @inlinable public var biasSigma: Double { estimator.sigma }
    /// True while the device is at rest.
    @inlinable public var isResting: Bool { rest.isResting }
    /// True if the filter expects a particular magnetic field. The expected field was either set by the caller or
    /// adopted from measurements.
    @inlinable package var isFieldExpected: Bool { field.expected != nil }
    /// True while the magnetic field differs from the expected field, or while the expected field is unknown.
    @inlinable public var isMagneticallyDisturbed: Bool { field.isDisturbed }

    /// The uncertainty of the magnetic heading: half the width of its 95 % confidence interval, in radians. It is nil
    /// before the first magnetometer sample.
    ///
    /// The value is twice the square root of the sum of these variances:
    ///
    /// - the heading variance of the Kalman filter, which grows with time, with rotation, and while a disturbed
    ///   magnetometer is ignored
    /// - a variance for the difference in strength and dip between the expected field and the field that determined the
    ///   heading
    /// - the square of the mean disagreement between the magnetometer and the heading over the last 5 s
    /// - the square of the heading drift that the bias uncertainty may have caused since the magnetometer was last used
    /// - (1.5°)² for errors that the filter cannot observe, such as the magnetic field of a building, or (10°)² while
    ///   the expected field is unknown
    @inlinable public var headingUncertainty: Double? {
        Self.uncertainty(north, estimator, consistency, field, gap: gyroscope.timestamp - magnetometer.timestamp)
    }

    @usableFromInline static func extrapolated(
        _ inclination: Quaternion, _ inertial: Quaternion, _ rate: SIMD4<Double>, _ seconds: Double
    ) -> Quaternion {
        guard seconds != 0 else { return inclination.after(inertial).renormalized }
        return inclination.after(inertial).after(Quaternion(rotationVector: seconds * rate)).renormalized
    }

    @usableFromInline static func uncertainty(
        _ north: NorthOffset, _ estimator: BiasEstimator, _ consistency: MagnetometerConsistency,
        _ field: MagneticReference, gap: Double
    ) -> Double? {
        guard north.isKnown else { return nil }
        let gap = max(gap, 0)
        let drift = estimator.sigma * (consistency.unusedTime + gap)
        let unmodeledDeviation = (field.expected == nil ? 10 : 1.5) * AttitudeSettings.degree
        let disagreement = consistency.meanDisagreement
        let variance =
            estimator.headingVariance + estimator.headingNoise * gap + consistency.fieldVariance + unmodeledDeviation
            * unmodeledDeviation
            + disagreement * disagreement + drift * drift
        return min(.pi, 2 * variance.squareRoot())
    }

    /// Restarts the heading estimation after the magnetometer calibration has changed. Attitude and bias are kept.
    /// `strength` is the expected field strength in the unit of the calibrated samples. `dip` is in radians, positive
    /// below the horizon. Either may be nil or NaN if unknown.
    package mutating func restartMagnetometer(strength: Double? = nil, dip: Double? = nil) {
        restartHeading()
        field.discardExpected()
        if let strength, let dip, dip.isFinite { setExpectedField(strength: strength, dip: dip) }
    }

    /// Discards the state of the heading estimation, but keeps ``northOffset`` until the next sample.
    mutating func restartHeading() {
        field.restart()
        rejection.restart()
        headingGain.restart()
        consistency.restart()
        estimator.restartHeading()
        (fieldSum, fieldCount, fieldTime) = (.zero, 0, 0)
    }
}
