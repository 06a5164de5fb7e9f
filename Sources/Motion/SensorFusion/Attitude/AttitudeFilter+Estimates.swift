// SPDX-License-Identifier: Apache-2.0

// All inlinable: the filter is large, and a getter that is called is given a copy of it.
extension AttitudeFilter {
    /// Device to earth, with a heading that began anywhere and drifts with the gyroscope.
    @inlinable public var attitude: Quaternion {
        Self.extrapolated(inclination, inertial, rateWithoutBias, settings.gyroscopeDelay)
    }

    /// The turn about the vertical, in radians and counterclockwise from above, that takes ``attitude`` to one whose y axis
    /// points to magnetic north; nil before the first sample of the magnetometer.
    @inlinable public var northOffset: Double? { north.offset }

    /// Device to earth with y to magnetic north: ``attitude`` turned by ``northOffset``; nil before the first sample of
    /// the magnetometer.
    @inlinable public var magneticAttitude: Quaternion? { north.turned(attitude) }

    /// The latest angular rate without the bias, rad/s.
    @inlinable public var rotationRate: SIMD3<Double> {
        SIMD3(rateWithoutBias.x, rateWithoutBias.y, rateWithoutBias.z)
    }

    /// The gyroscope's bias, rad/s.
    @inlinable public var bias: SIMD3<Double> { SIMD3(estimator.bias.x, estimator.bias.y, estimator.bias.z) }

    /// Its standard deviation, rad/s; a bound for the axis that is known worst.
    @inlinable public var biasSigma: Double { estimator.sigma }

    /// True while the device lies still.
    @inlinable public var isResting: Bool { rest.isResting }

    /// True once a magnetic field is expected: one was told, or one has been the same for long enough.
    @inlinable public var isFieldExpected: Bool { field.expected != nil }

    /// True while the magnetic field is not the expected one, or none is expected yet.
    @inlinable public var isMagneticallyDisturbed: Bool { field.isDisturbed }

    /// Radians within which the true magnetic heading lies with a probability of 95 %, never zero; nil before the first
    /// sample of the magnetometer.
    ///
    /// It is twice the root of a sum of variances: that of the heading's Kalman filter, which grows with time, with
    /// turning and while a disturbed magnetometer is ignored; that of the field in which the heading was learned, from
    /// its deviation in strength and dip from the expected one, and (10°)² as long as no field is expected; the square of
    /// what the magnetometer has been saying against the heading, on average of 5 s; the square of the bias's standard
    /// deviation times the time without magnetometer; and (1.5°)² for what no filter sees, like the magnetism of a
    /// building.
    @inlinable public var headingUncertainty: Double? {
        Self.uncertainty(north, estimator, headingTrust, field, silence: gyroscope.timestamp - magnetometer.timestamp)
    }

    @usableFromInline
    static func extrapolated(
        _ inclination: Quaternion, _ inertial: Quaternion, _ rate: SIMD4<Double>, _ seconds: Double
    ) -> Quaternion {
        guard seconds != 0 else { return inclination.after(inertial).renormalized }
        return inclination.after(inertial).after(Quaternion(rotationVector: seconds * rate)).renormalized
    }

    @usableFromInline
    static func uncertainty(
        _ north: NorthOffset, _ estimator: BiasEstimator, _ trust: HeadingTrust, _ field: MagneticReference,
        silence: Double
    ) -> Double? {
        guard north.isKnown else { return nil }
        let silence = max(silence, 0)
        let drift = estimator.sigma * (trust.unusedTime + silence)
        let unseen = (field.expected == nil ? 10 : 1.5) * AttitudeSettings.degree
        let against = trust.meanDisagreement
        let variance =
            estimator.headingVariance + estimator.headingNoise * silence + trust.fieldVariance + unseen * unseen
            + against * against + drift * drift
        return min(.pi, 2 * variance.squareRoot())
    }

    /// Says that the magnetometer is corrected in another way from now on: what was learned with the earlier readings
    /// is not worth waiting for.
    ///
    /// The heading is found anew from the next samples, at once and not over half a minute. Attitude and bias stay.
    ///
    /// - Parameters:
    ///   - strength: Of the field after the correction, in the unit of the readings; nil or NaN when not known.
    ///   - dip: Radians below the horizon; nil or NaN when not known.
    public mutating func restartMagnetometer(strength: Double? = nil, dip: Double? = nil) {
        restartHeading()
        field.forget()
        if let strength, let dip, dip.isFinite { expectField(strength: strength, dip: dip) }
    }

    /// The heading is to be found anew from the next samples of the magnetometer.
    mutating func restartHeading() {
        field.restart()
        rejection.restart()
        headingGain.restart()
        headingTrust.restart()
        estimator.restartHeading()
        fieldSum = .zero
        fieldCount = 0
        fieldTime = 0
    }
}
