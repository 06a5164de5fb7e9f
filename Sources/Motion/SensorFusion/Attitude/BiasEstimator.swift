// SPDX-License-Identifier: Apache-2.0

/// The gyroscope's bias as a Kalman filter: a constant that slowly becomes uncertain.
@usableFromInline
struct BiasEstimator: Sendable {
    /// The bias in rad/s; the fourth lane is zero.
    @usableFromInline private(set) var bias = SIMD4<Double>.zero
    private(set) var covariance: SymmetricMatrix

    /// The variance of the heading, in square radians, and its covariance with the bias.
    var headingVariance = Double.pi * .pi
    var coupling = SIMD4<Double>.zero
    var isCoupled = false
    var headingCorrection = 0.0
    /// Variance that the heading gains in a second, and more of it for each square rad/s.
    let headingNoise: Double
    let headingNoiseOfTurning: Double
    let knownBiasVariance: Double

    private let initialVariance: Double
    /// Variance that is added in a second.
    private let noise: Double
    private let limit: Double
    private let motionVariance: Double
    private let restVariance: Double
    private let verticalFactor: Double

    init(settings: AttitudeSettings) {
        initialVariance = settings.initialBiasSigma * settings.initialBiasSigma
        let forgotten = 0.1 * AttitudeSettings.degree
        noise = forgotten * forgotten / max(settings.biasForgettingTime, 1e-3)
        limit = settings.biasLimit
        motionVariance = settings.motionBiasSigma * settings.motionBiasSigma
        restVariance = settings.restBiasSigma * settings.restBiasSigma
        verticalFactor = max(settings.verticalBiasForgettingFactor, 1e-10)
        covariance = SymmetricMatrix(diagonal: initialVariance)
        headingNoise = settings.headingDrift * settings.headingDrift
        headingNoiseOfTurning = settings.headingDriftOfTurning * settings.headingDriftOfTurning
        let known = 0.15 * AttitudeSettings.degree
        knownBiasVariance = known * known
    }

    @usableFromInline var sigma: Double { min(initialVariance, covariance.eigenvalueBound).squareRoot() }

    mutating func start(at bias: SIMD3<Double>, sigma: Double) {
        self.bias = SIMD4(bias, 0)
        clip()
        covariance = SymmetricMatrix(diagonal: min(sigma * sigma, initialVariance))
    }

    /// Lets the bias become more uncertain.
    @inline(__always)
    mutating func advance(by interval: Double) {
        let added = noise * interval
        if covariance.xx < initialVariance { covariance.xx += added }
        if covariance.yy < initialVariance { covariance.yy += added }
        if covariance.zz < initialVariance { covariance.zz += added }
    }

    /// Takes the mean rate of a device that rests, over an interval.
    @inline(__always)
    mutating func correctAtRest(_ rate: SIMD4<Double>, interval: Double) {
        let residual = (rate - bias).limited(to: limit)
        let weight = Self.weight(restVariance, noise * interval)
        let before = bias
        headingCorrection += correct(SIMD4(1, 0, 0, 0), residual.x, weight, before)
        headingCorrection += correct(SIMD4(0, 1, 0, 0), residual.y, weight, before)
        headingCorrection += correct(SIMD4(0, 0, 1, 0), residual.z, weight, before)
        clip()
    }

    /// Takes three comparisons over an interval, each of the part of the bias along a vector; the third is that the
    /// bias about the vertical might be zero.
    @inline(__always)
    mutating func correctInMotion(
        _ first: SIMD4<Double>, _ second: SIMD4<Double>, _ third: SIMD4<Double>, residual: SIMD4<Double>,
        interval: Double
    ) {
        let weight = Self.weight(motionVariance, noise * interval)
        let before = bias
        _ = correct(first, residual.x, weight, before)
        _ = correct(second, residual.y, weight, before)
        _ = correct(third, residual.z, weight / verticalFactor, before)
        clip()
    }

    /// The variance of a comparison with which the bias's settles at the wanted one.
    @inline(__always)
    private static func weight(_ variance: Double, _ added: Double) -> Double {
        variance * variance / added + variance
    }

    /// What the heading says about the bias.
    mutating func learnFromHeading(_ part: SIMD4<Double>, _ factor: Double, inverse: Double) {
        bias += factor * part
        covariance.subtract(part, times: inverse)
        clip()
    }

    /// One comparison after the other is the same as all at once, because their errors are independent. Returns what it
    /// says about the heading.
    @inline(__always)
    private mutating func correct(
        _ direction: SIMD4<Double>, _ residual: Double, _ weight: Double, _ before: SIMD4<Double>
    ) -> Double {
        let gain = covariance * direction
        let inverse = 1 / (weight + direction.dot(gain))
        let correction = (residual - direction.dot(bias - before)) * inverse
        bias += gain * correction
        covariance.subtract(gain, times: inverse)
        guard isCoupled else { return 0 }
        let part = direction.dot(coupling)
        coupling -= gain * (part * inverse)
        headingVariance -= part * part * inverse
        return part * correction
    }

    @inline(__always)
    private mutating func clip() { bias = bias.limited(to: limit) }
}
