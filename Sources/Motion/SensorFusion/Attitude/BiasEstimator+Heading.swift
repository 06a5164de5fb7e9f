// SPDX-License-Identifier: Apache-2.0

extension BiasEstimator {
    /// Increases the heading uncertainty over an interval. `up` is in device axes, and `squaredRate` excludes the bias.
    mutating func advanceHeading(up: SIMD4<Double>, squaredRate: Double, interval: Double) {
        headingVariance += (headingNoise + headingNoisePerSquaredRate * squaredRate) * interval
        let part = covariance * up
        let variance = up.dot(part)
        // A magnetometer cannot improve a bias that is already well known. The noise accounts for the drift due to such
        // a bias.
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

    mutating func correctByHeading(_ disagreement: Double, gain: Double, variance: Double) {
        if isCoupled {
            correctByHeadingCovariance(coupling, disagreement / variance, inverse: 1 / variance)
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

    /// Returns the pending heading correction and resets it to zero. Bias corrections at rest produce heading
    /// corrections, because they reveal earlier heading drift.
    mutating func consumeHeadingCorrection() -> Double {
        let correction = headingCorrection
        headingCorrection = 0
        return correction
    }

    private mutating func limitHeadingVariance() { headingVariance = min(max(headingVariance, 1e-8), .pi * .pi) }
}
