// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Estimates the attitude of a device from gyroscope, accelerometer and magnetometer.
///
/// The filter has the structure of D. Laidig and T. Seel's VQF (Information Fusion 91, 2023): acceleration is averaged in
/// a frame that follows the gyroscope alone, where gravity stands still whatever the device does; what that mean
/// says corrects the inclination only, and the magnetometer the heading only. Corrections also reveal the
/// gyroscope's bias, which is measured when the device rests, and a magnetic field of the wrong strength or dip is
/// ignored for a while. ``Settings/reference`` is that filter. The standard settings add: true intervals from time stamps,
/// rotation that changes linearly between samples, a wide bias limit, sensors of different rates or missing ones.
///
/// Axes are the device's: x right, y to the top edge, z out of the screen. The earth's: x east, y north, z up.
///
/// Pass the samples in the order of time and of one time the gyroscope's first, then the accelerometer's. Samples that are
/// not finite, all zero or absurd, and late or repeated ones, are not taken. After a gap in the gyroscope's samples
/// inclination and heading are found anew, while bias and magnetic field are remembered.
///
/// Not synchronized. An update allocates nothing.
public struct AttitudeFilter: Sendable {
    let settings: Settings
    var gyroscope: SensorInterval
    var accelerometer: SensorInterval
    var magnetometer: SensorInterval

    /// Device to a frame that drifts with the gyroscope's errors.
    var inertial = Quaternion.identity
    /// That frame to the earth, but for the heading.
    var inclination = Quaternion.identity
    var lastRate = SIMD4<Double>.zero
    var rateWithoutBias = SIMD4<Double>.zero

    var gravityCoefficients: LowPassCoefficients
    var gravityLanes = LowPassLanes<SIMD4<Double>>()
    var motionBias: MotionBias
    var estimator: BiasEstimator
    var rest: RestDetector
    var field: MagneticReference
    var north = NorthOffset()
    var rejection: MagneticRejection
    var headingGain: HeadingGain
    var headingTrust: HeadingTrust
    var delay: MagnetometerDelay
    var speed = 0.0
    var speedGain = OnePoleGain(timeConstant: 0.5)
    /// Samples of the magnetometer that wait to be averaged, in earth axes.
    var fieldSum = SIMD4<Double>.zero
    var fieldCount = 0.0
    var fieldTime = 0.0
    var withoutGyroscope: OnePoleGain

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
    public init(settings: Settings = Settings(), interval: Double? = nil) {
        self.settings = settings
        let nominal = interval.map { $0.isFinite && $0 > 0 ? $0 : 0 } ?? 0
        nominalInterval = nominal
        estimatesBias = settings.estimatesBiasInMotion || settings.estimatesBiasAtRest
        gyroscope = SensorInterval(nominal: nominal, maximumGap: settings.maximumGap)
        accelerometer = gyroscope
        magnetometer = gyroscope
        gravityCoefficients = LowPassCoefficients(timeConstant: settings.accelerometerTimeConstant)
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
    public mutating func reset() {
        self = AttitudeFilter(settings: settings, interval: nominalInterval)
    }

    /// Device to earth, with a heading that began anywhere and drifts with the gyroscope.
    public var attitude: Quaternion {
        let sampled = inclination.after(inertial)
        guard settings.gyroscopeDelay > 0 else { return sampled.renormalized }
        return sampled.after(Quaternion(rotationVector: settings.gyroscopeDelay * rateWithoutBias)).renormalized
    }

    /// The turn about the vertical, in radians and counterclockwise from above, that takes ``attitude`` to one whose y axis
    /// points to magnetic north; nil before the first sample of the magnetometer.
    public var northOffset: Double? { north.isKnown ? north.angle : nil }

    /// Device to earth with y to magnetic north: ``attitude`` turned by ``northOffset``; nil before the first sample of the
    /// magnetometer.
    public var magneticAttitude: Quaternion? { north.isKnown ? north.turn.after(attitude) : nil }

    /// The latest angular rate without the bias, rad/s.
    public var rotationRate: SIMD3<Double> {
        SIMD3(rateWithoutBias.x, rateWithoutBias.y, rateWithoutBias.z)
    }

    /// The gyroscope's bias, rad/s.
    public var bias: SIMD3<Double> { SIMD3(estimator.bias.x, estimator.bias.y, estimator.bias.z) }

    /// Its standard deviation, rad/s; a bound for the axis that is known worst.
    public var biasSigma: Double { estimator.sigma }

    /// True while the device lies still.
    public var isResting: Bool { rest.isResting }

    /// True while the magnetic field is not the expected one, or none is expected yet.
    public var isMagneticallyDisturbed: Bool { field.isDisturbed }

    /// Radians within which the true magnetic heading lies with a probability of 95 %, never zero; nil before the first
    /// sample of the magnetometer.
    ///
    /// It is twice the root of a sum of variances: that of the heading's Kalman filter, which grows with time, with turning and
    /// while a disturbed magnetometer is ignored; that of the field in which the heading was learned, from its deviation in
    /// strength and dip from the expected one, and (10°)² as long as no field is expected; the square of what the
    /// magnetometer has been saying against the heading on average of 5 s; the square of the bias's standard deviation times
    /// the time without magnetometer; and (1.5°)² for what no filter sees, like the magnetism of a building.
    public var headingUncertainty: Double? {
        guard north.isKnown else { return nil }
        let drift = estimator.sigma * headingTrust.unusedTime
        let unseen = (field.expected == nil ? 10 : 1.5) * Settings.degree
        let against = headingTrust.meanDisagreement
        let variance =
            estimator.headingVariance + headingTrust.fieldVariance + unseen * unseen + against * against + drift * drift
        return min(.pi, 2 * variance.squareRoot())
    }
}
