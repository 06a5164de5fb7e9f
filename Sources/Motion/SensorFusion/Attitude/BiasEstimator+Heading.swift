// SPDX-License-Identifier: Apache-2.0

extension BiasEstimator {
    /// Lets the heading become more uncertain.
    ///
    /// - Parameters:
    ///   - up: The direction up, in device axes.
    ///   - squaredRate: Of the angular rate without bias.
    mutating func advanceHeading(up: SIMD4<Double>, squaredRate: Double, interval: Double) {
        headingVariance += (headingNoise + headingNoiseOfTurning * squaredRate) * interval
        let part = covariance * up
        let variance = up.dot(part)
        // A bias that is well known cannot be learned from a magnetometer; its part of the drift is in the noise.
        let unknown = 1 - knownBiasVariance / variance
        if unknown > 0 {
            let drift = 2 * up.dot(coupling) - interval * unknown * variance
            headingVariance -= interval * drift
            coupling -= (interval * unknown) * part
            isCoupled = true
        } else if isCoupled {
            headingVariance -= 2 * interval * up.dot(coupling)
            if coupling.dot(coupling) < 1e-20 {
                coupling = .zero
                isCoupled = false
            }
        }
        limitHeadingVariance()
    }

    /// Takes a comparison of the heading with the magnetometer.
    mutating func correctByHeading(_ disagreement: Double, gain: Double, variance: Double) {
        if isCoupled {
            learnFromHeading(coupling, disagreement / variance, inverse: 1 / variance)
            coupling *= 1 - gain
        }
        headingVariance *= 1 - gain
        limitHeadingVariance()
    }

    mutating func raiseHeadingVariance(to variance: Double) {
        headingVariance = max(headingVariance, variance)
        limitHeadingVariance()
    }

    /// Nothing is known any more of the heading.
    mutating func restartHeading() {
        headingVariance = .pi * .pi
        coupling = .zero
        isCoupled = false
        headingCorrection = 0
    }

    /// What a rest has said about the bias says how far the heading has drifted before.
    mutating func takeHeadingCorrection() -> Double {
        let correction = headingCorrection
        headingCorrection = 0
        return correction
    }

    private mutating func limitHeadingVariance() { headingVariance = min(max(headingVariance, 1e-8), .pi * .pi) }
}
