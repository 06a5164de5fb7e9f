// SPDX-License-Identifier: Apache-2.0

/// A Kalman filter for the gyroscope bias, which is modelled as a constant with slowly growing uncertainty.
@usableFromInline struct BiasEstimator: Sendable {
    /// The bias in rad/s. The fourth lane is zero.
    @usableFromInline private(set) var bias = SIMD4<Double>.zero
    private(set) var covariance: SymmetricMatrix
    /// The variance of the heading in square radians. `coupling` is the covariance of heading and bias.
    var headingVariance = Double.pi * .pi
    var coupling = SIMD4<Double>.zero
    /// False if `coupling` is zero.
    var isCoupled = false
    var headingCorrection = 0.0
    /// The growth of the heading variance per second. One part is constant, and the other is proportional to the
    /// squared angular rate.
    let headingNoise: Double
    let headingNoisePerSquaredRate: Double
    let knownBiasVariance: Double

    private let initialVariance: Double
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
        headingNoisePerSquaredRate = settings.headingDriftPerRate * settings.headingDriftPerRate
        let known = 0.15 * AttitudeSettings.degree
        knownBiasVariance = known * known
    }

    @usableFromInline var sigma: Double { min(initialVariance, covariance.eigenvalueBound).squareRoot() }

    mutating func setInitialBias(_ bias: SIMD3<Double>, sigma: Double) {
        self.bias = SIMD4(bias, 0)
        clip()
        covariance = SymmetricMatrix(diagonal: min(sigma * sigma, initialVariance))
    }

    @inline(__always) mutating func advance(by interval: Double) {
        let added = noise * interval
        if covariance.xx < initialVariance { covariance.xx += added }
        if covariance.yy < initialVariance { covariance.yy += added }
        if covariance.zz < initialVariance { covariance.zz += added }
    }

    @inline(__always) mutating func correctAtRest(_ rate: SIMD4<Double>, interval: Double) {
        let residual = (rate - bias).limited(to: limit)
        let variance = Self.measurementVariance(restVariance, noise * interval)
        let before = bias
        headingCorrection += correct(SIMD4(1, 0, 0, 0), residual.x, variance, before)
        headingCorrection += correct(SIMD4(0, 1, 0, 0), residual.y, variance, before)
        headingCorrection += correct(SIMD4(0, 0, 1, 0), residual.z, variance, before)
        clip()
    }

    /// Corrects the bias using measurements along three directions. The third measurement is the assumption that the
    /// vertical bias is zero.
    @inline(__always) mutating func correctInMotion(
        _ first: SIMD4<Double>, _ second: SIMD4<Double>, _ third: SIMD4<Double>, residual: SIMD4<Double>,
        interval: Double
    ) {
        let variance = Self.measurementVariance(motionVariance, noise * interval)
        let before = bias
        _ = correct(first, residual.x, variance, before)
        _ = correct(second, residual.y, variance, before)
        _ = correct(third, residual.z, variance / verticalFactor, before)
        clip()
    }

    /// Returns the measurement variance that makes the variance of the bias converge to `variance`.
    @inline(__always) private static func measurementVariance(_ variance: Double, _ added: Double) -> Double {
        variance * variance / added + variance
    }

    /// Corrects the bias using one measurement and returns the heading correction. Measurements can be applied one at a
    /// time, because their errors are independent. `before` is the bias from which the residuals were computed.
    @inline(__always) private mutating func correct(
        _ direction: SIMD4<Double>, _ residual: Double, _ variance: Double, _ before: SIMD4<Double>
    ) -> Double {
        let gain = covariance * direction
        let inverse = 1 / (variance + direction.dot(gain))
        let correction = (residual - direction.dot(bias - before)) * inverse
        bias += gain * correction
        covariance.subtract(gain, times: inverse)
        guard isCoupled else { return 0 }
        let part = direction.dot(coupling)
        coupling -= gain * (part * inverse)
        headingVariance -= part * part * inverse
        return part * correction
    }

    @inline(__always) private mutating func clip() { bias = bias.limited(to: limit) }

    // MARK: Heading

    /// Adds the growth of the heading uncertainty during an interval. `up` is in device axes. `squaredRate` is the
    /// squared angular rate without the bias.
    mutating func advanceHeading(up: SIMD4<Double>, squaredRate: Double, interval: Double) {
        headingVariance += (headingNoise + headingNoisePerSquaredRate * squaredRate) * interval
        let part = covariance * up
        let variance = up.dot(part)
        // Only the bias variance in excess of `knownBiasVariance` is used. Variance up to this value is already part of
        // the heading noise, and the magnetometer cannot reduce it further.
        let unknown = 1 - knownBiasVariance / variance
        if unknown > 0 {
            let drift = 2 * up.dot(coupling) - interval * unknown * variance
            headingVariance -= interval * drift
            coupling -= (interval * unknown) * part
            isCoupled = true
        } else if isCoupled {
            headingVariance -= 2 * interval * up.dot(coupling)
            if coupling.dot(coupling) < 1e-20 { (coupling, isCoupled) = (.zero, false) }
        }
        limitHeadingVariance()
    }

    /// Corrects the bias and the variances after a heading measurement. `variance` is the sum of the heading variance
    /// and the measurement variance.
    mutating func correctByHeading(_ disagreement: Double, gain: Double, variance: Double) {
        if isCoupled {
            bias += (disagreement / variance) * coupling
            covariance.subtract(coupling, times: 1 / variance)
            clip()
            coupling *= 1 - gain
        }
        headingVariance *= 1 - gain
        limitHeadingVariance()
    }

    mutating func raiseHeadingVariance(to variance: Double) {
        headingVariance = max(headingVariance, variance)
        limitHeadingVariance()
    }

    mutating func restartHeading() {
        headingVariance = .pi * .pi
        (coupling, isCoupled, headingCorrection) = (.zero, false, 0)
    }

    /// Returns the pending heading correction and resets it to zero. When a measurement at rest corrects the bias, the
    /// heading must also be corrected, because the wrong bias has made it drift.
    mutating func consumeHeadingCorrection() -> Double {
        let correction = headingCorrection
        headingCorrection = 0
        return correction
    }

    private mutating func limitHeadingVariance() { headingVariance = min(max(headingVariance, 1e-8), .pi * .pi) }
}

struct SymmetricMatrix: Sendable {
    var xx: Double
    var yy: Double
    var zz: Double
    private var xy = 0.0
    private var xz = 0.0
    private var yz = 0.0

    init(diagonal value: Double) { (xx, yy, zz) = (value, value, value) }

    /// Returns the product of the matrix and a vector. The fourth lane is zero.
    @inline(__always) static func * (m: borrowing SymmetricMatrix, v: SIMD4<Double>) -> SIMD4<Double> {
        let x = m.xx * v.x + m.xy * v.y + m.xz * v.z
        let y = m.xy * v.x + m.yy * v.y + m.yz * v.z
        let z = m.xz * v.x + m.yz * v.y + m.zz * v.z
        return SIMD4(x, y, z, 0)
    }

    /// Subtracts factor · v · vᵀ.
    @inline(__always) mutating func subtract(_ v: SIMD4<Double>, times factor: Double) {
        let x = factor * v.x
        let y = factor * v.y
        let z = factor * v.z
        xx -= x * v.x
        xy -= x * v.y
        xz -= x * v.z
        yy -= y * v.y
        yz -= y * v.z
        zz -= z * v.z
    }

    /// An upper bound for the largest eigenvalue: the largest absolute row sum (Gershgorin's theorem).
    var eigenvalueBound: Double {
        let x = abs(xx) + abs(xy) + abs(xz)
        let y = abs(xy) + abs(yy) + abs(yz)
        let z = abs(xz) + abs(yz) + abs(zz)
        return max(x, max(y, z))
    }
}
