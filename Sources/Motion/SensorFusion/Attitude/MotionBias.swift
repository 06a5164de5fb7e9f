// SPDX-License-Identifier: Apache-2.0

/// Estimates the gyroscope bias from the inclination corrections.
///
/// A bias rotates the inertial frame, and the corrections rotate it back. The acceleration's low-pass filter delays the
/// corrections. The bias in earth axes and the attitude's rotation matrix therefore pass through the same filter before
/// they are compared with the corrections.
struct MotionBias: Sendable {
    private var coefficients: LowPassCoefficients
    private var east = LowPassLanes<SIMD4<Double>>()
    private var north = LowPassLanes<SIMD4<Double>>()
    private var up = LowPassLanes<SIMD4<Double>>()

    private let period: Double
    private let limit: Double
    private let estimatesAtRest: Bool
    private let estimatesInMotion: Bool
    private var elapsed = 0.0
    private var correctionEast = 0.0
    private var correctionNorth = 0.0

    init(settings: AttitudeSettings) {
        coefficients = LowPassCoefficients(timeConstant: settings.accelerometerTimeConstant)
        period = settings.biasEstimationInterval * (1 - 1e-9)
        limit = settings.motionBiasResidualLimit
        estimatesAtRest = settings.estimatesBiasAtRest
        estimatesInMotion = settings.estimatesBiasInMotion
    }

    mutating func restart() {
        coefficients.restart()
        (elapsed, correctionEast, correctionNorth) = (0, 0, 0)
    }

    /// Adds an inclination correction. `direction` is the up direction before the correction, in earth axes. Returns
    /// true if it is time to compare the corrections with the bias.
    @inline(__always) mutating func collect(_ direction: SIMD4<Double>, interval: Double) -> Bool {
        correctionEast -= direction.y
        correctionNorth += direction.x
        elapsed += interval
        return elapsed > 0 && elapsed >= period
    }

    @inline(never) mutating func correct(
        _ estimator: inout BiasEstimator, attitude: Quaternion, isResting: Bool, meanRate: SIMD4<Double>
    ) {
        let interval = elapsed
        let rateEast = correctionEast / interval
        let rateNorth = correctionNorth / interval
        (elapsed, correctionEast, correctionNorth) = (0, 0, 0)
        coefficients.advance(by: interval)

        let p = attitude.components
        let xx = p.x * p.x, yy = p.y * p.y, zz = p.z * p.z
        let xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z
        let wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z
        let bias = estimator.bias
        // The fourth lane holds the bias in earth axes. `dot()` and the covariance ignore this lane.
        var row = SIMD4(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 0)
        row.w = row.dot(bias)
        let meanEast = east.update(row, coefficients)
        row = SIMD4(2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), 0)
        row.w = row.dot(bias)
        let meanNorth = north.update(row, coefficients)
        let meanUp = up.update(SIMD4(2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy), 0), coefficients)

        estimator.advance(by: interval)
        if isResting, estimatesAtRest {
            estimator.correctAtRest(meanRate, interval: interval)
        } else if estimatesInMotion {
            let residual = SIMD4(
                rateEast + meanEast.w - meanEast.dot(bias), rateNorth + meanNorth.w - meanNorth.dot(bias),
                -meanUp.dot(bias), 0
            ).limited(to: limit)
            estimator.correctInMotion(meanEast, meanNorth, meanUp, residual: residual, interval: interval)
        }
    }
}

/// Measures recent acceleration and rotation, which determine the accuracy of the attitude after a gap.
struct MotionLevel: Sendable {
    /// The mean squared acceleration without gravity, in (m/s²)².
    private var squaredAcceleration = 0.0
    private var squaredRate = 0.0
    private var gain = OnePoleGain(timeConstant: 1)
    /// If the rotation is too large to interpolate the rate, the rate before a gap is assumed to continue into the gap
    /// for this time, in seconds. The rate after the gap is assumed to begin equally long before the gap ends.
    static let rateContinuationTime = 0.05
    /// The factor k in the averaging time k·a / ((r + s)·t), in seconds. a is the mean squared acceleration in g², r is
    /// the mean squared rate, s is the larger of the squared rates before and after the gap, and t is the gap's length
    /// in seconds.
    private static let averagingFactor = 1.5
    private static let squaredGravity = 9.8 * 9.8

    @inline(__always) mutating func update(acceleration: SIMD4<Double>, rate: SIMD4<Double>, interval: Double) {
        let weight = gain.value(for: interval)
        squaredAcceleration += weight * (acceleration.dot(acceleration) - squaredAcceleration)
        squaredRate += weight * (rate.dot(rate) - squaredRate)
    }

    /// Returns the averaging time, in seconds, after which the mean acceleration is as accurate as the up direction
    /// from before the gap. `gap` is the length of the gap in seconds. `rate` is the larger of the squared rates before
    /// and after the gap.
    func equivalentAveragingTime(after gap: Double, squaredRate rate: Double) -> Double {
        let rotation = (squaredRate + rate) * gap
        let movement = squaredAcceleration / Self.squaredGravity
        return rotation > 0 ? Self.averagingFactor * movement / rotation : 0
    }
}
