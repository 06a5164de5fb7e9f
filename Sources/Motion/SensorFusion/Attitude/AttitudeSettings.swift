// SPDX-License-Identifier: Apache-2.0

/// The assumptions that an ``AttitudeFilter`` makes about the sensors and their environment.
///
/// Angles are in radians, angular rates in rad/s, accelerations in m/s² and times in seconds. The default values suit
/// the inertial sensors of phones and boards.
public struct AttitudeSettings: Sendable, Hashable {
    /// The time constant of the low-pass filter that separates gravity from user acceleration. A smaller value gives
    /// the accelerometer more weight. On one board and two phones, the errors for values from 2 to 3 s differed by less
    /// than 10 %.
    public var accelerometerTimeConstant = 2.5
    /// Whether the magnetometer's weight depends on the uncertainties. If false, it depends on
    /// ``magnetometerTimeConstant``.
    package var weightsHeadingByUncertainty = true
    /// The standard deviation of a magnetometer heading averaged over one second.
    package var magneticHeadingNoise = 5 * degree
    /// The standard deviation of the heading after one second without a magnetometer. The deviation grows with the
    /// square root of time.
    package var headingDrift = 0.1 * degree
    /// The additional standard deviation of the heading after one second of rotation at 1 rad/s.
    package var headingDriftPerRate = 0.15 * degree
    /// The deviation from the expected field that halves the magnetometer's weight: a fraction for the strength, and an
    /// angle in radians for the dip.
    package var magneticDeviationScale = 0.04
    package var maximumHeadingTimeConstant = 30.0
    /// The minimum time constant with which the heading follows the magnetometer. It does not apply during startup,
    /// which lasts as long as this time constant.
    package var minimumHeadingTimeConstant = 2.0
    /// The time over which magnetometer samples are averaged if ``weightsHeadingByUncertainty`` is true. Zero disables
    /// averaging. Values from 0.04 to 0.1 s yield nearly the same heading.
    package var magneticInterval = 0.1
    /// The time constant of the heading if ``weightsHeadingByUncertainty`` is false.
    package var magnetometerTimeConstant = 9.0
    /// The time constant of the gravity and heading estimates if there is no gyroscope.
    public var timeConstantWithoutGyroscope = 0.25
    /// Whether the angular rate is interpolated linearly between samples, with a correction for coning. If false, each
    /// sample is assumed to hold for the whole interval before it.
    package var interpolatesRotation = true
    /// The delay of gyroscope samples relative to their timestamps, caused by the sensor's low-pass filter. The
    /// attitude is extrapolated by this time.
    public var gyroscopeDelay = 0.005
    /// The delay of magnetometer samples relative to gyroscope samples with the same timestamp.
    public var magnetometerDelay = 0.010
    /// Whether the magnetometer delay is estimated from rotations, starting from ``magnetometerDelay``.
    package var estimatesMagnetometerDelay = true
    /// Whether the gyroscope bias is estimated from the accelerometer corrections during motion.
    public var estimatesBiasInMotion = true
    /// Whether the gyroscope bias is measured while the device is at rest.
    public var estimatesBiasAtRest = true
    /// Whether the first inclination also contributes to the gyroscope bias estimate, as in the published filter. If
    /// false, the inclination only initializes the attitude.
    package var correctsByFirstInclination = false
    /// The interval between bias estimates. If it is zero, the bias is updated with each accelerometer sample, which
    /// roughly doubles the filter's computing time. Intervals of up to 0.2 s do not increase the error.
    package var biasEstimationInterval = 0.1
    /// The standard deviation of the unknown initial bias.
    public var initialBiasSigma = 0.7 * degree
    /// The time the standard deviation of the bias takes to grow from zero to 0.1 degrees per second.
    package var biasForgettingTime = 100.0
    /// The maximum absolute bias on any axis.
    public var biasLimit = 20 * degree
    package var motionBiasResidualLimit = 3 * degree
    package var motionBiasSigma = 0.1 * degree
    /// The weight of the assumption that the vertical bias is zero, relative to the weight of a measurement. The
    /// assumption is needed during motion, because the accelerometer cannot observe the vertical bias.
    package var verticalBiasForgettingFactor = 1e-4
    package var restBiasSigma = 0.03 * degree

    package var restMinimumTime = 1.5
    /// The time constant of the mean rate and the mean acceleration. Samples are compared with these means to detect
    /// rest.
    package var restTimeConstant = 0.5
    package var restRotationThreshold = 2 * degree
    package var restAccelerationThreshold = 0.5
    /// If the gyroscope measures a constant rate that differs from the known bias by more than this value, the criteria
    /// for rest become stricter: ``restRotationThreshold`` and ``restAccelerationThreshold`` are lowered, by default to
    /// 1 °/s and 0.3 m/s², and gravity and the magnetic field must show that the device is not rotating at the measured
    /// rate. If the value is infinite, every constant rate below ``biasLimit`` counts as rest.
    package var restBiasWindow = 2 * degree
    /// Whether the heading ignores a magnetic field with an unexpected strength or dip.
    public var rejectsMagneticDisturbance = true
    /// The time constant of the low-pass filter for the strength and dip of the field.
    package var magneticTimeConstant = 0.05
    /// The time constant with which the expected field follows the measured field while the field is undisturbed.
    package var magneticReferenceTimeConstant = 20.0
    /// The deviation from the expected field above which the field counts as disturbed: a fraction for the strength,
    /// and an angle for the dip.
    package var magneticStrengthThreshold = 0.1
    package var magneticDipThreshold = 10 * degree
    /// The time in motion after which a new field becomes the expected field.
    package var magneticAcceptanceTime = 20.0
    /// The time in motion after which the first measured field becomes the expected field.
    package var firstMagneticAcceptanceTime = 5.0
    /// The smallest angular rate that counts as motion for ``magneticAcceptanceTime``.
    package var magneticAcceptanceRate = 20 * degree
    /// The time that a disturbed field must agree with the expected field before it counts as undisturbed.
    package var magneticRecoveryTime = 0.5
    /// The maximum time to ignore a disturbed magnetometer completely.
    package var maximumMagneticRejectionTime = 60.0
    /// The divisor that reduces the weight of a disturbed magnetometer after ``maximumMagneticRejectionTime``.
    package var magneticRejectionFactor = 4.0
    /// The maximum length of a gap in the gyroscope samples. After a longer gap, the attitude is reinitialized. For
    /// slow sensors, the limit is three times the sample interval, but at most 5 s.
    public var maximumGap = 1.0
    /// The longest sample interval that does not count as a gap. After a gap, the attitude is kept only if the device
    /// has hardly rotated.
    package var maximumGapInMotion = 0.2

    /// Creates the default settings.
    public init() {}

    /// The published filter with its published values: D. Laidig, T. Seel, "VQF: Highly accurate IMU orientation
    /// estimation with bias estimation and magnetic disturbance rejection", Information Fusion 91 (2023). With a fixed
    /// interval, the attitude agrees with that of the authors' program to nine digits.
    public static let reference: AttitudeSettings = {
        var settings = AttitudeSettings()
        settings.accelerometerTimeConstant = 3
        settings.interpolatesRotation = false
        settings.correctsByFirstInclination = true
        settings.restBiasWindow = .infinity
        settings.gyroscopeDelay = 0
        settings.magnetometerDelay = 0
        settings.estimatesMagnetometerDelay = false
        settings.weightsHeadingByUncertainty = false
        settings.initialBiasSigma = 0.5 * degree
        settings.magneticRejectionFactor = 2
        settings.biasEstimationInterval = 0
        settings.biasLimit = 2 * degree
        settings.motionBiasResidualLimit = 2 * degree
        settings.maximumGapInMotion = settings.maximumGap
        return settings
    }()

    static let degree = Double.pi / 180
}
