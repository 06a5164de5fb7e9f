// SPDX-License-Identifier: Apache-2.0

/// How far the heading follows the magnetometer, from how well both are known (a Kalman filter of one angle, whose
/// covariance with the bias is in ``BiasEstimator``).
///
/// The heading becomes uncertain with time, and more so with turning, because a gyroscope's scale is never quite right. So
/// the magnetometer counts more in motion, where its errors average out, and hardly at rest, where they do not.
@usableFromInline
struct HeadingTrust: Sendable {
    /// Seconds of samples since the start.
    private(set) var time = 0.0
    /// Strength and dip of the field in which the heading was learned.
    private var learned: SIMD2<Double>?
    /// What the samples have been saying against the heading of late, radians.
    private(set) var meanDisagreement = 0.0
    /// The part of the uncertainty that is due to the field the heading was learned in, as a variance.
    private(set) var fieldVariance = 0.0
    /// Seconds since the heading was last compared.
    private(set) var unusedTime = 0.0

    private var wasResting = false

    private var slowest: OnePoleGain
    private var fastest: OnePoleGain
    private var agreement = OnePoleGain(timeConstant: 5)

    private let noise: Double
    private let deviationScale: Double
    private let rejectionFactor: Double
    private let fastestTime: Double

    private static var varianceAfterRest: Double {
        let sigma = 2.5 * AttitudeSettings.degree
        return sigma * sigma
    }

    init(settings: AttitudeSettings) {
        slowest = OnePoleGain(timeConstant: settings.slowestHeadingTimeConstant)
        fastest = OnePoleGain(timeConstant: settings.fastestHeadingTimeConstant)
        fastestTime = settings.fastestHeadingTimeConstant
        noise = settings.magneticHeadingNoise * settings.magneticHeadingNoise
        deviationScale = 1 / (settings.magneticDeviationScale * settings.magneticDeviationScale)
        rejectionFactor = max(settings.magneticRejectionFactor, 1)
    }

    /// Returns by how much to turn.
    ///
    /// - Parameters:
    ///   - disagreement: Radians.
    ///   - field: Strength and dip of late.
    ///   - expected: The same, as they should be.
    ///   - hasRested: Whether there has been nothing but rest so far.
    ///   - isResting: Whether the device rests.
    mutating func correction(
        _ disagreement: Double, field: SIMD2<Double>, expected: SIMD2<Double>?, trust: MagneticRejection.Trust,
        hasRested: Bool, isResting: Bool, interval: Double, estimator: inout BiasEstimator
    ) -> Double {
        let isFirst = learned == nil
        time += interval
        // A resting place is a single sample of the field.
        if wasResting, !isResting { estimator.raiseHeadingVariance(to: Self.varianceAfterRest) }
        wasResting = isResting
        var spread = 1.0
        if let expected {
            spread += Self.deviation(field, from: expected) * deviationScale
            // A heading that was learned in another field is worth as much as that field.
            if trust == .full, let learned {
                let tilt = cosine(expected.y)
                fieldVariance = 0.25 * Self.deviation(learned, from: expected) / (tilt * tilt)
                estimator.raiseHeadingVariance(to: fieldVariance)
            }
        }
        switch trust {
        case .full: break
        case .little: spread *= rejectionFactor
        case .none:
            // The first heading is better than none.
            if isFirst { break }
            unusedTime += interval
            return 0
        }
        unusedTime = 0
        // Who is contradicted for seconds in a field as it should be is wrong, however sure of itself: a bias of the
        // gyroscope that has changed turns the heading away.
        let against = meanDisagreement * meanDisagreement
        if trust == .full, against > estimator.headingVariance + noise { estimator.raiseHeadingVariance(to: against) }
        // A start in motion: nothing is known yet of how the device stands.
        if !hasRested { spread += 1 / (time * time) }
        let measurement = noise * spread / interval
        let before = estimator.headingVariance
        let total = before + measurement
        // Before a field is expected, surprises are what the magnetometer is for.
        let width = expected == nil ? Double.infinity : 2
        var gain = before / total
        estimator.correctByHeading(
            // A first heading is no surprise.
            isFirst ? 0 : Self.limited(disagreement, width * (before + noise).squareRoot()), gain: gain, variance: total
        )
        gain = max(gain, slowest.value(for: interval) / spread)
        if time > fastestTime { gain = min(gain, fastest.value(for: interval)) }
        if isFirst { gain = 1 }
        if let learned { self.learned = learned + gain * (field - learned) } else { learned = field }
        meanDisagreement =
            isFirst ? 0 : meanDisagreement + agreement.value(for: interval) * (disagreement - meanDisagreement)
        guard !isFirst else { return disagreement }
        return gain * Self.limited(disagreement, width * (estimator.headingVariance + noise).squareRoot())
    }

    mutating func restart() {
        time = 0
        learned = nil
        fieldVariance = 0
        unusedTime = 0
    }

    /// The sum of the squares of the relative deviation of the strength and of that of the dip.
    @inline(__always)
    private static func deviation(_ field: SIMD2<Double>, from expected: SIMD2<Double>) -> Double {
        let strength = (field.x - expected.x) / expected.x
        let dip = field.y - expected.y
        return strength * strength + dip * dip
    }

    @inline(__always)
    private static func limited(_ value: Double, _ limit: Double) -> Double {
        value > limit ? limit : value < -limit ? -limit : value
    }

    /// Never quite zero, for the poles; a series, as nothing depends on its last digits.
    @inline(__always)
    private func cosine(_ angle: Double) -> Double {
        let a2 = angle * angle
        return max(0.1, 1 - a2 * (1 / 2.0 - a2 * (1 / 24.0 - a2 * (1 / 720.0))))
    }
}
