// SPDX-License-Identifier: Apache-2.0

/// Estimates the gyroscope bias from the corrections of the inclination.
///
/// A bias rotates the inertial frame, and the corrections rotate it back, delayed by the low-pass filter of the
/// acceleration. The rotation matrix of the attitude and the bias in earth axes pass through the same low-pass filter,
/// so that they can be compared with the corrections.
struct MotionBias: Sendable {
    private var coefficients: LowPassCoefficients
    private var east = LowPassLanes<SIMD4<Double>>()
    private var north = LowPassLanes<SIMD4<Double>>()
    private var up = LowPassLanes<SIMD4<Double>>()

    private let period: Double
    private let limit: Double
    private let atRest: Bool
    private let inMotion: Bool
    private var elapsed = 0.0
    private var correctionEast = 0.0
    private var correctionNorth = 0.0

    init(settings: AttitudeSettings) {
        coefficients = LowPassCoefficients(timeConstant: settings.accelerometerTimeConstant)
        period = settings.biasEstimationInterval * (1 - 1e-9)
        limit = settings.motionBiasResidualLimit
        atRest = settings.estimatesBiasAtRest
        inMotion = settings.estimatesBiasInMotion
    }

    mutating func restart() {
        coefficients.restart()
        elapsed = 0
        correctionEast = 0
        correctionNorth = 0
    }

    /// Adds a correction. Returns true if a comparison is due.
    ///
    /// - Parameter direction: The direction of gravity before the correction, in earth axes.
    @inline(__always)
    mutating func collect(_ direction: SIMD4<Double>, interval: Double) -> Bool {
        correctionEast -= direction.y
        correctionNorth += direction.x
        elapsed += interval
        return elapsed > 0 && elapsed >= period
    }

    /// Compares the collected corrections with the bias, and corrects the bias.
    @inline(never)
    mutating func correct(
        _ estimator: inout BiasEstimator, attitude: Quaternion, isResting: Bool, meanRate: SIMD4<Double>
    ) {
        let interval = elapsed
        let rateEast = correctionEast / interval
        let rateNorth = correctionNorth / interval
        elapsed = 0
        correctionEast = 0
        correctionNorth = 0
        coefficients.advance(by: interval)

        let p = attitude.components
        let xx = p.x * p.x, yy = p.y * p.y, zz = p.z * p.z
        let xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z
        let wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z
        let bias = estimator.bias
        // The fourth lane contains the bias in earth axes; dot() and the covariance ignore this lane.
        var row = SIMD4(1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 0)
        row.w = row.dot(bias)
        let meanEast = east.update(row, coefficients)
        row = SIMD4(2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx), 0)
        row.w = row.dot(bias)
        let meanNorth = north.update(row, coefficients)
        let meanUp = up.update(SIMD4(2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy), 0), coefficients)

        estimator.advance(by: interval)
        if isResting, atRest {
            estimator.correctAtRest(meanRate, interval: interval)
        } else if inMotion {
            let residual = SIMD4(
                rateEast + meanEast.w - meanEast.dot(bias), rateNorth + meanNorth.w - meanNorth.dot(bias),
                -meanUp.dot(bias), 0
            ).limited(to: limit)
            estimator.correctInMotion(meanEast, meanNorth, meanUp, residual: residual, interval: interval)
        }
    }
}
