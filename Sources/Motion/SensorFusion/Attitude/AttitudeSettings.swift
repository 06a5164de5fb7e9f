// SPDX-License-Identifier: Apache-2.0

/// The assumptions of an attitude filter about the sensors and their environment.
///
/// Angles are in radians, angular rates in rad/s, accelerations in m/s², times in seconds. The default values suit the
/// inertial sensors of phones and boards; ``reference`` is the published filter.
public struct AttitudeSettings: Sendable, Hashable {
    /// The time constant of the low-pass filter that separates gravity from acceleration; a smaller value gives the
    /// accelerometer more weight. Chosen on one board and two phones: between 2 and 3 s, the errors of each differ by
    /// less than a tenth.
    public var accelerometerTimeConstant = 2.5
    /// Whether the weight of the magnetometer depends on the uncertainties of the heading and of the magnetometer. If
    /// false, the heading follows it with ``magnetometerTimeConstant``.
    public var weightsHeadingByUncertainty = true
    /// The standard deviation of a heading averaged from the magnetometer for one second.
    public var magneticHeadingNoise = 5 * degree
    /// The standard deviation that the heading gains in one second without a magnetometer. It grows with the square
    /// root of time.
    public var headingDrift = 0.1 * degree
    /// The additional heading drift for each rad/s of the angular rate.
    public var headingDriftPerRate = 0.15 * degree
    /// The deviation of the field at which the weight of the magnetometer is halved: relative for the strength, in
    /// radians for the dip.
    public var magneticDeviationScale = 0.04
    /// The largest time constant with which the heading follows the magnetometer.
    public var maximumHeadingTimeConstant = 30.0
    /// The smallest time constant with which the heading follows the magnetometer. It applies after the same time from
    /// the start.
    public var minimumHeadingTimeConstant = 2.0
    /// The time over which magnetometer samples are averaged before they are used; zero uses each sample. Chosen on one
    /// board and two phones, whose headings with 0.04 to 0.1 s differ by hundredths of a degree.
    public var magneticInterval = 0.1

    /// The time constant with which the heading follows an undisturbed magnetometer if ``weightsHeadingByUncertainty`` is false.
    public var magnetometerTimeConstant = 9.0
    /// The time constant of gravity and heading without a gyroscope.
    public var timeConstantWithoutGyroscope = 0.25

    /// Whether the angular rate is interpolated linearly between two samples, including the resulting coning. If false,
    /// each sample applies to the whole interval before it.
    public var interpolatesRotation = true

    /// The delay of gyroscope samples relative to their timestamps, caused by the low-pass filter of the sensor. The
    /// attitude is extrapolated by this time. Chosen on one board, where a difference of 2.5 ms increases the error by
    /// a tenth; on two phones it has hardly any effect.
    public var gyroscopeDelay = 0.005
    /// The delay of magnetometer samples relative to gyroscope samples with the same timestamp.
    public var magnetometerDelay = 0.010
    /// Whether that delay is estimated from rotations, starting with ``magnetometerDelay``.
    public var estimatesMagnetometerDelay = true

    /// Whether the gyroscope bias is estimated during motion from the corrections by the accelerometer.
    public var estimatesBiasInMotion = true
    /// Whether the gyroscope bias is measured while the device rests.
    public var estimatesBiasAtRest = true
    /// Whether the first inclination is used as a correction in the estimation of the bias, as in the published filter.
    public var correctsByFirstInclination = false
    /// The interval at which the bias is estimated from the collected corrections; zero for each accelerometer sample.
    /// The estimation costs about as much as the rest of the filter. On one board and two phones, values up to 0.2 s
    /// have no effect on the result.
    public var biasEstimationInterval = 0.1
    /// The standard deviation of the unknown bias at the start.
    public var initialBiasSigma = 0.7 * degree
    /// The time in which the standard deviation of a known bias grows to 0.1 degrees per second.
    public var biasForgettingTime = 100.0
    /// The largest absolute bias on an axis.
    public var biasLimit = 20 * degree
    /// The largest residual used in a single bias correction during motion.
    public var motionBiasResidualLimit = 3 * degree
    /// The standard deviation to which the bias converges during lasting motion.
    public var motionBiasSigma = 0.1 * degree
    /// The rate at which the bias about the vertical, which the accelerometer cannot observe, returns to zero during
    /// motion; a larger value returns it faster.
    public var verticalBiasForgettingFactor = 1e-4
    /// The standard deviation to which the bias converges at rest.
    public var restBiasSigma = 0.03 * degree

    /// The time without motion after which the device is resting.
    public var restMinimumTime = 1.5
    /// The time constant of the mean with which samples are compared at rest.
    public var restTimeConstant = 0.5
    /// The deviation of the angular rate that ends a rest.
    public var restRotationThreshold = 2 * degree
    /// The deviation of the acceleration that ends a rest.
    public var restAccelerationThreshold = 0.5

    /// The largest difference between a constant rate and the known bias for which these thresholds apply. For larger
    /// differences the thresholds are 1 degree per second and 0.3 m/s² (in proportion to the settings), and neither
    /// gravity nor the magnetic field may rotate with the rate. With infinity, every constant rate below ``biasLimit``
    /// is a rest.
    public var restBiasWindow = 2 * degree

    /// Whether a magnetic field with an unexpected strength or dip is ignored for the heading.
    public var rejectsMagneticDisturbance = true
    /// The time constant of the filter for the strength and dip of the field before they are compared.
    public var magneticTimeConstant = 0.05
    /// The time constant with which the expected field follows an undisturbed one.
    public var magneticReferenceTimeConstant = 20.0
    /// The deviation of the field strength that is a disturbance, relative to the expected strength.
    public var magneticStrengthThreshold = 0.1
    /// The deviation of the dip that is a disturbance.
    public var magneticDipThreshold = 10 * degree
    /// The time in motion after which a new field is accepted.
    public var magneticAcceptanceTime = 20.0
    /// The time in motion after which the first field is accepted.
    public var firstMagneticAcceptanceTime = 5.0
    /// The smallest angular rate that counts as motion for these two times.
    public var magneticAcceptanceRate = 20 * degree
    /// The time without a deviation after which a disturbance ends.
    public var magneticRecoveryTime = 0.5
    /// The longest time for which a disturbed magnetometer is ignored completely.
    public var maximumMagneticRejectionTime = 60.0
    /// The factor by which the weight of a disturbed magnetometer is reduced after that time.
    public var magneticRejectionFactor = 4.0

    /// The longest time without gyroscope samples after which the attitude is kept, in seconds. For slow sensors it is
    /// three sample intervals, up to five seconds.
    public var maximumGap = 1.0
    /// The longest interval, in seconds, that is processed as a normal interval. After a longer one, the attitude is
    /// kept only if the device hardly rotated, because the last rate does not determine the rotation during the gap.
    public var maximumGapInMotion = 0.2

    /// Creates the default settings.
    public init() {}

    /// The published filter with its published values: D. Laidig, T. Seel, "VQF: Highly accurate IMU orientation
    /// estimation with bias estimation and magnetic disturbance rejection", Information Fusion 91 (2023).
    ///
    /// With a fixed interval the attitude equals that of the authors' program to nine digits.
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
