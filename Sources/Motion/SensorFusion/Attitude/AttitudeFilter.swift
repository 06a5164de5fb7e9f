// SPDX-License-Identifier: Apache-2.0

/// Estimates the attitude of a device from gyroscope, accelerometer and magnetometer.
///
/// The filter has the structure of D. Laidig and T. Seel's VQF (Information Fusion 91, 2023): acceleration is averaged in
/// a frame that follows the gyroscope alone, where gravity stands still whatever the device does; what that mean
/// says corrects the inclination only, and the magnetometer the heading only. Corrections also reveal the
/// gyroscope's bias, which is measured when the device rests, and a magnetic field of the wrong strength or dip is
/// ignored for a while. ``AttitudeSettings/reference`` is that filter. The standard settings add: true intervals from time stamps,
/// rotation that changes linearly between samples, a wide bias limit, sensors of different rates or missing ones.
///
/// Axes are the device's: x right, y to the top edge, z out of the screen. The earth's: x east, y north, z up.
///
/// Pass the samples in the order of time and of one time the gyroscope's first, then the accelerometer's. Samples that are
/// not finite, all zero or absurd, and late or repeated ones, are not taken. After a gap in the gyroscope's samples, in which
/// the device may have turned by more than a few degrees, inclination and heading are found anew, while bias and magnetic
/// field are remembered.
///
/// Not synchronized. An update allocates nothing.
public struct AttitudeFilter: Sendable {
    @usableFromInline let settings: AttitudeSettings
    @usableFromInline var gyroscope: SensorInterval
    var accelerometer: SensorInterval
    @usableFromInline var magnetometer: SensorInterval

    /// Device to a frame that drifts with the gyroscope's errors.
    @usableFromInline var inertial = Quaternion.identity
    /// That frame to the earth, but for the heading.
    @usableFromInline var inclination = Quaternion.identity
    var lastRate = SIMD4<Double>.zero
    @usableFromInline var rateWithoutBias = SIMD4<Double>.zero

    var gravityCoefficients: LowPassCoefficients
    var coefficientsWithoutGyroscope: LowPassCoefficients
    var gravityLanes = LowPassLanes<SIMD4<Double>>()
    var motionBias: MotionBias
    var repetition = RepetitionDetector()
    @usableFromInline var estimator: BiasEstimator
    @usableFromInline var rest: RestDetector
    @usableFromInline var field: MagneticReference
    @usableFromInline var north = NorthOffset()
    var rejection: MagneticRejection
    var headingGain: HeadingGain
    @usableFromInline var headingTrust: HeadingTrust
    var delay: MagnetometerDelay
    var motion = MotionLevel()
    var speed = 0.0
    var speedGain = OnePoleGain(timeConstant: 0.5)
    /// Samples of the magnetometer that wait to be averaged, in the inertial frame.
    var fieldSum = SIMD4<Double>.zero
    var fieldCount = 0.0
    var fieldTime = 0.0
    var withoutGyroscope: OnePoleGain

    /// True until the accelerometer has said where up is since the start or an interruption.
    var isInclinationNew: Bool
    /// Of gyroscope and accelerometer, to bring the quaternions back to length 1 now and then.
    var steps: UInt32 = 0

    /// Counts up when the attitude begins anew: what is known of it from before says nothing of it afterwards.
    package internal(set) var timesFound: UInt32 = 0

    /// True once the accelerometer has said where up is.
    public internal(set) var isReady = false

    let nominalInterval: Double
    let estimatesBias: Bool

    /// Creates a filter that knows nothing yet.
    ///
    /// - Parameters:
    ///   - settings: What to assume.
    ///   - interval: Seconds between samples where this is fixed and known: time stamps then only tell how many samples
    ///     are missing. Nil takes the time stamps as they are.
    public init(settings: AttitudeSettings = AttitudeSettings(), interval: Double? = nil) {
        self.settings = settings
        let nominal = interval.map { $0.isFinite && $0 > 0 ? $0 : 0 } ?? 0
        nominalInterval = nominal
        estimatesBias = settings.estimatesBiasInMotion || settings.estimatesBiasAtRest
        let gap = min(settings.maximumGap, settings.maximumGapOfMotion)
        gyroscope = SensorInterval(nominal: nominal, maximumGap: gap, slowest: 5, setBack: settings.maximumGap)
        accelerometer = gyroscope
        magnetometer = gyroscope
        gravityCoefficients = LowPassCoefficients(timeConstant: settings.accelerometerTimeConstant)
        coefficientsWithoutGyroscope = LowPassCoefficients(timeConstant: settings.timeConstantWithoutGyroscope)
        isInclinationNew = !settings.correctsByFirstInclination
        motionBias = MotionBias(settings: settings)
        estimator = BiasEstimator(settings: settings)
        rest = RestDetector(settings: settings)
        field = MagneticReference(settings: settings)
        rejection = MagneticRejection(settings: settings)
        headingGain = HeadingGain(settings: settings)
        headingTrust = HeadingTrust(settings: settings)
        delay = MagnetometerDelay(settings: settings)
        withoutGyroscope = OnePoleGain(timeConstant: settings.timeConstantWithoutGyroscope)
    }

    /// Begins with a bias that is known from an earlier run.
    ///
    /// - Parameters:
    ///   - bias: rad/s, device axes.
    ///   - sigma: Its standard deviation in rad/s.
    public mutating func startBias(_ bias: SIMD3<Double>, sigma: Double) {
        guard bias.isFinite, sigma.isFinite, sigma > 0 else { return }
        estimator.start(at: bias, sigma: sigma)
    }

    /// Says what magnetic field to expect at this place, so that a disturbance is known as one from the start.
    ///
    /// - Parameters:
    ///   - strength: In the unit of the magnetometer's readings.
    ///   - dip: Radians below the horizon.
    public mutating func expectField(strength: Double, dip: Double) {
        guard strength.isFinite, strength > 0, abs(dip) <= .pi / 2 else { return }
        field.expect(strength: strength, dip: dip)
    }

    /// Forgets everything.
    public mutating func reset() { self = AttitudeFilter(settings: settings, interval: nominalInterval) }
}
