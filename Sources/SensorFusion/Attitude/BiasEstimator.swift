// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The gyroscope's bias as a Kalman filter: a constant that slowly becomes uncertain.
struct BiasEstimator: Sendable {
    /// The bias in rad/s; the fourth lane is zero.
    private(set) var bias = SIMD4<Double>.zero
    private(set) var covariance: SymmetricMatrix

    private let initialVariance: Double
    /// Variance that is added in a second.
    private let noise: Double
    private let limit: Double
    private let motionVariance: Double
    private let restVariance: Double
    private let verticalFactor: Double

    // Of the latest interval.
    private var interval = -1.0
    private var motionWeight = 0.0
    private var restWeight = 0.0
    private var added = 0.0

    init(settings: AttitudeFilter.Settings) {
        initialVariance = settings.initialBiasSigma * settings.initialBiasSigma
        let forgotten = 0.1 * AttitudeFilter.Settings.degree
        noise = forgotten * forgotten / max(settings.biasForgettingTime, 1e-3)
        limit = settings.biasLimit
        motionVariance = settings.motionBiasSigma * settings.motionBiasSigma
        restVariance = settings.restBiasSigma * settings.restBiasSigma
        verticalFactor = max(settings.verticalBiasForgettingFactor, 1e-10)
        covariance = SymmetricMatrix(diagonal: initialVariance)
    }

    var sigma: Double {
        min(initialVariance, covariance.eigenvalueBound).squareRoot()
    }

    mutating func start(at bias: SIMD3<Double>, sigma: Double) {
        self.bias = SIMD4(bias, 0).clamped(lowerBound: SIMD4(repeating: -limit), upperBound: SIMD4(repeating: limit))
        covariance = SymmetricMatrix(diagonal: min(sigma * sigma, initialVariance))
    }

    /// Lets the bias become more uncertain.
    @inline(__always)
    mutating func advance(by newInterval: Double) {
        if newInterval != interval { prepare(for: newInterval) }
        if covariance.x.x < initialVariance { covariance.x.x += added }
        if covariance.y.y < initialVariance { covariance.y.y += added }
        if covariance.z.z < initialVariance { covariance.z.z += added }
    }

    /// Takes the mean rate of a device that rests.
    @inline(__always)
    mutating func correctAtRest(_ rate: SIMD4<Double>) {
        let residual = (rate - bias).clamped(
            lowerBound: SIMD4(repeating: -limit), upperBound: SIMD4(repeating: limit))
        let before = bias
        correct(SIMD4(1, 0, 0, 0), residual.x, restWeight, before)
        correct(SIMD4(0, 1, 0, 0), residual.y, restWeight, before)
        correct(SIMD4(0, 0, 1, 0), residual.z, restWeight, before)
        clip()
    }

    /// Takes three comparisons, each of the part of the bias along a vector.
    @inline(__always)
    mutating func correctInMotion(
        _ first: SIMD4<Double>, _ second: SIMD4<Double>, _ third: SIMD4<Double>, residual: SIMD4<Double>
    ) {
        let before = bias
        correct(first, residual.x, motionWeight, before)
        correct(second, residual.y, motionWeight, before)
        correct(third, residual.z, motionWeight / verticalFactor, before)
        clip()
    }

    /// One comparison after the other is the same as all at once, because their errors are independent.
    @inline(__always)
    private mutating func correct(
        _ direction: SIMD4<Double>, _ residual: Double, _ weight: Double, _ before: SIMD4<Double>
    ) {
        let gain = covariance * direction
        let inverse = 1 / (weight + (direction * gain).sum())
        bias += gain * ((residual - (direction * (bias - before)).sum()) * inverse)
        covariance.subtract(gain, times: inverse)
    }

    @inline(__always)
    private mutating func clip() {
        bias.clamp(lowerBound: SIMD4(repeating: -limit), upperBound: SIMD4(repeating: limit))
    }

    private mutating func prepare(for newInterval: Double) {
        interval = newInterval
        added = noise * newInterval
        // So weighted, the variance settles at the wanted one.
        motionWeight = motionVariance * motionVariance / added + motionVariance
        restWeight = restVariance * restVariance / added + restVariance
    }
}
