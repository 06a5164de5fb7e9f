// SPDX-License-Identifier: Apache-2.0

/// What an attitude filter assumes of the sensors and of their surroundings.
///
/// Angles are radians, angular rates rad/s, accelerations m/s², times seconds. The standard values suit inertial
/// sensors as they are built into phones and boards; ``reference`` is the published filter.
public struct AttitudeSettings: Sendable, Hashable {
    /// Time constant with which acceleration settles into gravity; shorter trusts the accelerometer more. Chosen on one board
    /// and two phones: between 2 and 3 s the errors of each differ by less than a tenth.
    public var accelerometerTimeConstant = 2.5
    /// Whether the heading follows the magnetometer by how well both are known; otherwise with
    /// ``magnetometerTimeConstant``.
    public var weighsHeading = true
    /// Standard deviation of a heading that is averaged from the magnetometer for a second.
    public var magneticHeadingNoise = 5 * degree
    /// Standard deviation that the heading gains in a second without magnetometer, and in proportion to its root.
    public var headingDrift = 0.1 * degree
    /// The same for each rad/s of turning.
    public var headingDriftOfTurning = 0.15 * degree
    /// The deviation of the field, relative in strength and in radians of dip, at which it counts half.
    public var magneticDeviationScale = 0.04
    /// Time constant with which the heading follows the magnetometer at least.
    public var slowestHeadingTimeConstant = 30.0
    /// Time constant with which it follows at most, after as long a time.
    public var fastestHeadingTimeConstant = 2.0
    /// How long samples of the magnetometer are averaged before they are used; zero uses each. Chosen on one board and two
    /// phones, where the headings of 0.04 to 0.1 s differ by hundredths of a degree.
    public var magneticInterval = 0.1

    /// Time constant with which the heading follows an undisturbed magnetometer, where ``weighsHeading`` is false.
    public var magnetometerTimeConstant = 9.0
    /// The time constant of gravity and heading as long as there is no gyroscope.
    public var timeConstantWithoutGyroscope = 0.25

    /// Whether the angular rate is taken to change linearly between two samples, with the coning that this entails;
    /// otherwise each sample holds for the whole interval that it ends.
    public var interpolatesRotation = true

    /// By how much a gyroscope's samples are older than their time stamps, because of its low-pass; the attitude is
    /// extrapolated by it. Chosen on one board, where 2.5 ms more or less cost a tenth; two phones hardly notice either.
    public var gyroscopeDelay = 0.005
    /// By how much a magnetometer's samples are older than a gyroscope's of the same time stamp.
    public var magnetometerDelay = 0.010
    /// Whether that delay is learned from turning, with the value as a start.
    public var learnsMagnetometerDelay = true

    /// Whether the gyroscope's bias is estimated from the accelerometer's corrections during motion.
    public var estimatesBiasInMotion = true
    /// Whether the gyroscope's bias is measured while the device rests.
    public var estimatesBiasAtRest = true
    /// Whether the first inclination is taken for a correction that says something about the bias, as the published
    /// filter does.
    public var correctsByFirstInclination = false
    /// How often what was collected about the bias is evaluated, which costs about as much as all the rest; zero
    /// for each sample of the accelerometer. Up to 0.2 s nothing changes on one board and two phones.
    public var biasEstimationInterval = 0.1
    /// Standard deviation of the unknown bias at the start.
    public var initialBiasSigma = 0.7 * degree
    /// The time after which a known bias has become uncertain by 0.1 degrees a second.
    public var biasForgettingTime = 100.0
    /// The largest bias on an axis that is believed.
    public var biasLimit = 20 * degree
    /// The most that a single comparison during motion may say about the bias.
    public var motionBiasResidualLimit = 3 * degree
    /// Standard deviation that the bias reaches in lasting motion.
    public var motionBiasSigma = 0.1 * degree
    /// How strongly the bias about the vertical, which the accelerometer cannot see, returns to zero in motion.
    public var verticalBiasForgettingFactor = 1e-4
    /// Standard deviation that the bias reaches at rest.
    public var restBiasSigma = 0.03 * degree

    /// How long all must be still before the device counts as resting.
    public var restMinimumTime = 1.5
    /// Time constant of the mean from which samples may not deviate at rest.
    public var restTimeConstant = 0.5
    /// Deviation of the angular rate that ends a rest.
    public var restRotationThreshold = 2 * degree
    /// Deviation of the acceleration that ends a rest.
    public var restAccelerationThreshold = 0.5

    /// How far from the known bias a steady rate may be to count as rest by those thresholds. Farther away they are
    /// 1 degree a second and 0.3 m/s² (in proportion), and neither gravity nor magnetic field may turn with it; infinity
    /// takes every steady rate below ``biasLimit`` for rest.
    public var restBiasWindow = 2 * degree

    /// Whether a magnetic field of the wrong strength or dip is kept from the heading.
    public var rejectsMagneticDisturbance = true
    /// Time constant of the field's strength and dip before they are compared.
    public var magneticTimeConstant = 0.05
    /// Time constant with which the expected field follows an undisturbed one.
    public var magneticReferenceTimeConstant = 20.0
    /// Deviation of the field's strength that is a disturbance, as a part of the strength.
    public var magneticStrengthThreshold = 0.1
    /// Deviation of the field's dip that is a disturbance.
    public var magneticDipThreshold = 10 * degree
    /// How long a new field must have been seen in motion before it is accepted.
    public var magneticAcceptanceTime = 20.0
    /// The same for the first field.
    public var firstMagneticAcceptanceTime = 5.0
    /// The angular rate that counts as motion for those two.
    public var magneticAcceptanceRate = 20 * degree
    /// How long the field must be right before a disturbance is over.
    public var magneticRecoveryTime = 0.5
    /// How long a disturbed magnetometer is ignored altogether.
    public var maximumMagneticRejectionTime = 60.0
    /// By how much a disturbed magnetometer counts less after that time.
    public var magneticRejectionFactor = 4.0

    /// Seconds without gyroscope samples after which the attitude is begun anew; three intervals where those are
    /// longer, up to five seconds.
    public var maximumGap = 1.0
    /// The same where the device has turned meanwhile: the last rate says nothing of what it did then.
    public var maximumGapOfMotion = 0.2

    /// The standard values.
    public init() {}

    /// The published filter and its published values: D. Laidig, T. Seel, "VQF: Highly accurate IMU orientation
    /// estimation with bias estimation and magnetic disturbance rejection", Information Fusion 91 (2023).
    ///
    /// With a fixed interval the attitude is that of its authors' program to nine digits.
    public static let reference: AttitudeSettings = {
        var settings = AttitudeSettings()
        settings.accelerometerTimeConstant = 3
        settings.interpolatesRotation = false
        settings.correctsByFirstInclination = true
        settings.restBiasWindow = .infinity
        settings.gyroscopeDelay = 0
        settings.magnetometerDelay = 0
        settings.learnsMagnetometerDelay = false
        settings.weighsHeading = false
        settings.magneticInterval = 0
        settings.initialBiasSigma = 0.5 * degree
        settings.magneticRejectionFactor = 2
        settings.biasEstimationInterval = 0
        settings.biasLimit = 2 * degree
        settings.motionBiasResidualLimit = 2 * degree
        settings.maximumGapOfMotion = settings.maximumGap
        return settings
    }()

    static let degree = Double.pi / 180
}
