// SPDX-License-Identifier: Apache-2.0

/// Computes the weight of the magnetometer from the uncertainties of the magnetometer and the heading, using a Kalman
/// filter for the heading alone. ``BiasEstimator`` stores the covariance of heading and bias.
///
/// The heading uncertainty grows with time, and faster during rotation because of the gyroscope's scale error. The
/// magnetometer therefore has more weight in motion than at rest. This is intended, because magnetometer errors average
/// out only in motion.
@usableFromInline struct MagnetometerConsistency: Sendable {
    /// The time since the first sample, in seconds.
    private(set) var time = 0.0
    /// The strength and dip of the field that determined the current heading.
    private var headingField: SIMD2<Double>?
    /// The mean disagreement between the magnetometer and the heading over the last few seconds, in radians.
    private(set) var meanDisagreement = 0.0
    /// The heading variance caused by the difference between the expected field and the field that determined the
    /// heading, in square radians.
    private(set) var fieldVariance = 0.0
    /// The time since the last comparison of the heading with the magnetometer, in seconds.
    private(set) var unusedTime = 0.0

    private var wasResting = false

    private var slowestGain: OnePoleGain
    private var fastestGain: OnePoleGain
    private var disagreementGain = OnePoleGain(timeConstant: 5)

    private let noise: Double
    private let deviationScale: Double
    private let rejectionFactor: Double
    private let fastestTime: Double

    /// The minimum heading variance after the device has been at rest, in square radians.
    private static var varianceAfterRest: Double {
        let sigma = 2.5 * AttitudeSettings.degree
        return sigma * sigma
    }

    init(settings: AttitudeSettings) {
        slowestGain = OnePoleGain(timeConstant: settings.maximumHeadingTimeConstant)
        fastestGain = OnePoleGain(timeConstant: settings.minimumHeadingTimeConstant)
        fastestTime = settings.minimumHeadingTimeConstant
        noise = settings.magneticHeadingNoise * settings.magneticHeadingNoise
        deviationScale = 1 / (settings.magneticDeviationScale * settings.magneticDeviationScale)
        rejectionFactor = max(settings.magneticRejectionFactor, 1)
    }

    /// Returns the angle by which to rotate the heading. `disagreement` is the difference between the magnetometer and
    /// the heading in radians. `field` and `expected` hold strength and dip. `hasRested` is true if the device has been
    /// still for nearly all the time since the start.
    mutating func correction(
        _ disagreement: Double, field: SIMD2<Double>, expected: SIMD2<Double>?, trust: MagneticRejection.Trust,
        hasRested: Bool, isResting: Bool, interval: Double, estimator: inout BiasEstimator
    ) -> Double {
        let isFirst = headingField == nil
        time += interval
        // While the device is at rest, all samples have the same field error, which averaging does not reduce. The
        // heading variance is therefore raised when the device starts to move.
        if wasResting, !isResting { estimator.raiseHeadingVariance(to: Self.varianceAfterRest) }
        wasResting = isResting
        var spread = 1.0
        if let expected {
            spread += Self.deviation(field, from: expected) * deviationScale
            // The heading cannot be more accurate than the field that determined it.
            if trust == .full, let headingField {
                let tilt = cosine(expected.y)
                fieldVariance = 0.25 * Self.deviation(headingField, from: expected) / (tilt * tilt)
                estimator.raiseHeadingVariance(to: fieldVariance)
            }
        }
        switch trust {
        case .full: break
        case .reduced: spread *= rejectionFactor
        case .none:
            // The first sample is used even in a disturbed field, because there is no other heading.
            if isFirst { break }
            unusedTime += interval
            return 0
        }
        unusedTime = 0
        // If an undisturbed field disagrees with the heading for several seconds, the heading is wrong despite its low
        // variance, for example because the gyroscope bias has changed.
        let squaredDisagreement = meanDisagreement * meanDisagreement
        if trust == .full, squaredDisagreement > estimator.headingVariance + noise {
            estimator.raiseHeadingVariance(to: squaredDisagreement)
        }
        // If the device is moving at the start, the attitude is inaccurate at first, so the magnetometer has less
        // weight until the attitude improves.
        if !hasRested { spread += 1 / (time * time) }
        let measurement = noise * spread / interval
        let before = estimator.headingVariance
        let total = before + measurement
        // If the expected field is known, the disagreement used for corrections is limited to two standard deviations.
        let width = expected == nil ? Double.infinity : 2
        var gain = before / total
        estimator.correctByHeading(
            isFirst ? 0 : disagreement.limited(to: width * (before + noise).squareRoot()), gain: gain, variance: total
        )
        // The estimator is updated with the optimal gain. The heading itself is corrected with a gain that is limited
        // by the time constants.
        gain = max(gain, slowestGain.value(for: interval) / spread)
        if time > fastestTime { gain = min(gain, fastestGain.value(for: interval)) }
        if isFirst { gain = 1 }
        if let headingField {
            self.headingField = headingField + gain * (field - headingField)
        } else {
            headingField = field
        }
        meanDisagreement =
            isFirst ? 0 : meanDisagreement + disagreementGain.value(for: interval) * (disagreement - meanDisagreement)
        guard !isFirst else { return disagreement }
        return gain * disagreement.limited(to: width * (estimator.headingVariance + noise).squareRoot())
    }

    /// Restarts the computation, so that the next sample is treated as the first one. That sample also resets
    /// `meanDisagreement`.
    mutating func restart() { (time, headingField, fieldVariance, unusedTime) = (0, nil, 0, 0) }

    /// Returns the squared relative deviation of the strength plus the squared deviation of the dip.
    @inline(__always) private static func deviation(_ field: SIMD2<Double>, from expected: SIMD2<Double>) -> Double {
        let strength = (field.x - expected.x) / expected.x
        let dip = field.y - expected.y
        return strength * strength + dip * dip
    }

    /// Returns the approximate cosine of a dip angle. The result is at least 0.1, even at the magnetic poles, where the
    /// cosine is zero.
    @inline(__always) private func cosine(_ angle: Double) -> Double {
        let a2 = angle * angle
        return max(0.1, 1 - a2 * (1 / 2.0 - a2 * (1 / 24.0 - a2 * (1 / 720.0))))
    }
}
