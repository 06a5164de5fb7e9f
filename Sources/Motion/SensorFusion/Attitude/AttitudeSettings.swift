// SPDX-License-Identifier: Apache-2.0

/// The assumptions of an attitude filter about the sensors and their environment.
///
/// Angles are in radians, angular rates in rad/s, accelerations in m/s², times in seconds. The default values suit the
/// inertial sensors of phones and boards; ``reference`` is the published filter.
public struct AttitudeSettings: Sendable, Hashable {
    /// The time constant of the mean that separates gravity from acceleration. A smaller value gives the accelerometer
    /// more weight. On one board and two phones, the errors with 2 and 3 s differ by less than a tenth.
    public var accelerometerTimeConstant = 2.5
    /// If true, uncertainties determine the weight of the magnetometer. If false, ``magnetometerTimeConstant`` does.
    package var weightsHeadingByUncertainty = true
    /// The standard deviation of a magnetometer heading averaged over one second.
    package var magneticHeadingNoise = 5 * degree
    /// The standard deviation of the heading after one second without a magnetometer. It grows with the square root of
    /// time.
    package var headingDrift = 0.1 * degree
    /// The additional heading drift per rad/s of angular rate.
    package var headingDriftPerRate = 0.15 * degree
    /// The deviation of the field (relative strength, dip in radians) at which the magnetometer has half its weight.
    package var magneticDeviationScale = 0.04
    /// The largest time constant with which the heading follows the magnetometer.
    package var maximumHeadingTimeConstant = 30.0
    /// The smallest time constant with which the heading follows the magnetometer. It applies only after this time has
    /// passed since the start.
    package var minimumHeadingTimeConstant = 2.0
    /// The time over which magnetometer samples are averaged; zero means that each sample is used individually. On one
    /// board and two phones, the headings with 0.04 to 0.1 s differ by hundredths of a degree.
    package var magneticInterval = 0.1

    /// The time constant of the heading if ``weightsHeadingByUncertainty`` is false.
    package var magnetometerTimeConstant = 9.0
    /// The time constant of gravity and heading without a gyroscope.
    public var timeConstantWithoutGyroscope = 0.25

    /// If true, the angular rate is interpolated linearly between samples, including the resulting coning. If false,
    /// each sample applies to the whole interval before it.
    package var interpolatesRotation = true

    /// The delay of gyroscope samples relative to their timestamps, caused by the low-pass filter of the sensor. The
    /// attitude is extrapolated by this time. On one board, 2.5 ms more or less increase the error by a tenth.
    public var gyroscopeDelay = 0.005
    /// The delay of magnetometer samples relative to gyroscope samples with the same timestamp.
    public var magnetometerDelay = 0.010
    /// Whether the magnetometer delay is estimated from rotations, starting with ``magnetometerDelay``.
    package var estimatesMagnetometerDelay = true

    /// Whether the gyroscope bias is estimated during motion from the corrections by the accelerometer.
    public var estimatesBiasInMotion = true
    /// Whether the gyroscope bias is measured while the device rests.
    public var estimatesBiasAtRest = true
    /// Whether the bias estimation treats the first inclination as a correction, as in the published filter.
    package var correctsByFirstInclination = false
    /// The interval at which the bias is estimated from the collected corrections. Zero means with each accelerometer
    /// sample, which costs about as much as the rest of the filter. On one board and two phones, values up to 0.2 s
    /// have no effect.
    package var biasEstimationInterval = 0.1
    /// The standard deviation of the initially unknown bias.
    public var initialBiasSigma = 0.7 * degree
    /// The time after which the standard deviation of a known bias has grown to 0.1 degrees per second.
    package var biasForgettingTime = 100.0
    /// The largest absolute bias on an axis.
    public var biasLimit = 20 * degree
    /// The largest residual used in a single bias correction during motion.
    package var motionBiasResidualLimit = 3 * degree
    /// The standard deviation to which the bias converges during lasting motion.
    package var motionBiasSigma = 0.1 * degree
    /// The rate at which the vertical bias, which the accelerometer cannot observe, returns to zero during motion.
    package var verticalBiasForgettingFactor = 1e-4
    /// The standard deviation to which the bias converges at rest.
    package var restBiasSigma = 0.03 * degree

    /// The time without motion after which the device is considered to be resting.
    package var restMinimumTime = 1.5
    /// The time constant of the mean with which samples are compared at rest.
    package var restTimeConstant = 0.5
    /// The deviation of the angular rate that ends a rest.
    package var restRotationThreshold = 2 * degree
    /// The deviation of the acceleration that ends a rest.
    package var restAccelerationThreshold = 0.5

    /// The largest difference between a constant rate and the known bias at which the two thresholds above apply. For
    /// larger differences, both thresholds are reduced in proportion (by default to 1 °/s and 0.3 m/s²), and neither
    /// gravity nor the magnetic field may rotate with the rate. If infinite, every constant rate below ``biasLimit`` is
    /// a rest.
    package var restBiasWindow = 2 * degree

    /// Whether a magnetic field with an unexpected strength or dip is ignored for the heading.
    public var rejectsMagneticDisturbance = true
    /// The time constant of the filter for the strength and dip of the field before they are compared.
    package var magneticTimeConstant = 0.05
    /// The time constant with which the expected field follows the measured field while the latter is undisturbed.
    package var magneticReferenceTimeConstant = 20.0
    /// The deviation of the field strength, relative to the expected strength, that counts as a disturbance.
    package var magneticStrengthThreshold = 0.1
    /// The deviation of the dip that counts as a disturbance.
    package var magneticDipThreshold = 10 * degree
    /// The time in motion after which a new field is accepted.
    package var magneticAcceptanceTime = 20.0
    /// The time in motion after which the first field is accepted.
    package var firstMagneticAcceptanceTime = 5.0
    /// The smallest angular rate that counts as motion for the two acceptance times above.
    package var magneticAcceptanceRate = 20 * degree
    /// The time without a deviation after which a disturbance ends.
    package var magneticRecoveryTime = 0.5
    /// The longest time for which a disturbed magnetometer is ignored completely.
    package var maximumMagneticRejectionTime = 60.0
    /// The factor by which the weight of a disturbed magnetometer is reduced after ``maximumMagneticRejectionTime``.
    package var magneticRejectionFactor = 4.0

    /// The longest time without gyroscope samples after which the attitude is kept. For slow sensors, this is three
    /// intervals, up to 5 s.
    public var maximumGap = 1.0
    /// The longest normal sample interval. After a longer interval, the attitude is kept only if the device hardly
    /// rotated.
    package var maximumGapInMotion = 0.2

    /// Creates the default settings.
    public init() {}

    /// The published filter with its published values: D. Laidig, T. Seel, "VQF: Highly accurate IMU orientation
    /// estimation with bias estimation and magnetic disturbance rejection", Information Fusion 91 (2023).
    ///
    /// With a fixed interval, the attitude agrees with the authors' program to nine digits.
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
        settings.magneticInterval = 0
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
