// SPDX-License-Identifier: Apache-2.0

/// Estimates the attitude of a device from a gyroscope, an accelerometer and a magnetometer.
///
/// The filter follows the structure of VQF by D. Laidig and T. Seel (Information Fusion 91, 2023). It averages the
/// acceleration in a frame that follows only the gyroscope, where gravity is constant. The mean corrects only the
/// inclination, and the magnetometer corrects only the heading. The corrections also reveal the gyroscope bias, which
/// is measured directly while the device is at rest. A magnetic field with an unexpected strength or dip is ignored for
/// a limited time. ``AttitudeSettings/reference`` configures the published filter. The default settings add intervals
/// computed from timestamps, linear interpolation of rotation rates, a larger bias limit, and support for missing
/// sensors and different sample rates.
///
/// The device axes are x right, y towards the top edge and z out of the screen. The earth axes are x east, y north and
/// z up.
///
/// Pass the samples in chronological order. If timestamps are equal, pass the gyroscope sample before the accelerometer
/// sample. Infinite, NaN, all-zero, implausibly large, late and duplicate samples are ignored. If the device may have
/// rotated by more than a few degrees during a gap in the gyroscope samples, the inclination and the heading are
/// reinitialized, but the bias and the expected magnetic field are kept.
///
/// The filter is not synchronized. Updates do not allocate memory.
public struct AttitudeFilter: Sendable {
    @usableFromInline let settings: AttitudeSettings
    @usableFromInline var gyroscope: SensorInterval
    var accelerometer: SensorInterval
    @usableFromInline var magnetometer: SensorInterval
    /// The rotation from device axes to the inertial frame. The frame drifts because of gyroscope errors.
    @usableFromInline var inertial = Quaternion.identity
    /// The rotation that corrects the inclination of the inertial frame but leaves the heading arbitrary.
    @usableFromInline var inclination = Quaternion.identity
    var lastRate = SIMD4<Double>.zero
    @usableFromInline var rateWithoutBias = SIMD4<Double>.zero

    var gravityCoefficients: LowPassCoefficients
    var coefficientsWithoutGyroscope: LowPassCoefficients
    var gravityLanes = LowPassLanes<SIMD4<Double>>()
    var motionBias: MotionBias
    var repetition = StuckSensorDetector()
    @usableFromInline var estimator: BiasEstimator
    @usableFromInline var rest: RestDetector
    @usableFromInline var field: MagneticReference
    @usableFromInline var north = NorthOffset()
    var rejection: MagneticRejection
    var headingGain: HeadingGain
    @usableFromInline var consistency: MagnetometerConsistency
    var delay: MagnetometerDelay
    var motion = MotionLevel()
    /// The mean magnitude of the angular rate, in rad/s.
    var meanSpeed = 0.0
    var speedGain = OnePoleGain(timeConstant: 0.5)
    /// The magnetometer samples since the last heading update: their sum in the inertial frame, their number, and the
    /// time they cover, in seconds.
    var fieldSum = SIMD4<Double>.zero
    var fieldCount = 0.0
    var fieldTime = 0.0
    var gainWithoutGyroscope: OnePoleGain
    /// True until the first accelerometer sample after the start or after an interruption.
    var isInclinationNew: Bool
    /// The number of gyroscope and accelerometer samples, which determines when the quaternions are renormalized.
    var steps: UInt32 = 0
    /// The number of times the attitude has been reinitialized. Attitudes before and after a reinitialization are
    /// unrelated.
    package internal(set) var reinitializationCount: UInt32 = 0
    /// True once a usable accelerometer sample has determined the up direction.
    public internal(set) var isReady = false

    let nominalInterval: Double
    let estimatesBias: Bool

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - settings: The assumptions about the sensors.
    ///   - interval: The fixed sample interval in seconds, or nil to compute intervals from the timestamps. With a
    ///     fixed interval, the filter uses timestamps only to count missing samples.
    public init(settings: AttitudeSettings = AttitudeSettings(), interval: Double? = nil) {
        self.settings = settings
        let nominal = interval.map { $0.isFinite && $0 > 0 ? $0 : 0 } ?? 0
        nominalInterval = nominal
        estimatesBias = settings.estimatesBiasInMotion || settings.estimatesBiasAtRest
        let gap = min(settings.maximumGap, settings.maximumGapInMotion)
        gyroscope = SensorInterval(
            nominal: nominal, maximumGap: gap, maximumAdaptiveGap: 5, clockStepThreshold: settings.maximumGap)
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
        consistency = MagnetometerConsistency(settings: settings)
        delay = MagnetometerDelay(settings: settings)
        gainWithoutGyroscope = OnePoleGain(timeConstant: settings.timeConstantWithoutGyroscope)
    }

    /// Sets the initial bias to a known value, for example from an earlier run.
    ///
    /// - Parameters:
    ///   - bias: The bias in rad/s, in device axes.
    ///   - sigma: The standard deviation of the bias in rad/s.
    public mutating func setInitialBias(_ bias: SIMD3<Double>, sigma: Double) {
        guard bias.isFinite, sigma.isFinite, sigma > 0 else { return }
        estimator.setInitialBias(bias, sigma: sigma)
    }

    /// Sets the magnetic field expected at the current location, so that disturbances are detected from the start.
    ///
    /// - Parameters:
    ///   - strength: The field strength, in the unit of the magnetometer samples.
    ///   - dip: The dip angle in radians, positive below the horizon.
    public mutating func setExpectedField(strength: Double, dip: Double) {
        guard strength.isFinite, strength > 0, abs(dip) <= .pi / 2 else { return }
        field.setExpected(strength: strength, dip: dip)
    }

    /// Resets the filter to its initial state.
    public mutating func reset() { self = AttitudeFilter(settings: settings, interval: nominalInterval) }
}
