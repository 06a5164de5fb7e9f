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
    var gravityLanes = LowPassLanes()
    var motionBias = MotionBias()
    var estimator: BiasEstimator
    var rest: RestDetector
    var field: MagneticReference
    var heading: HeadingEstimator
    var withoutGyroscope: OnePoleGain

    /// True once the accelerometer has said where up is.
    public internal(set) var isReady = false

    let nominalInterval: Double?

    /// Creates a filter that knows nothing yet.
    ///
    /// - Parameters:
    ///   - settings: What to assume.
    ///   - interval: Seconds between samples where this is fixed and known: time stamps then only tell how many samples
    ///     are missing. Nil takes the time stamps as they are.
    public init(settings: Settings = Settings(), interval: Double? = nil) {
        self.settings = settings
        let nominal = interval.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        nominalInterval = nominal
        gyroscope = SensorInterval(nominal: nominal, maximumGap: settings.maximumGap)
        accelerometer = gyroscope
        magnetometer = gyroscope
        gravityCoefficients = LowPassCoefficients(timeConstant: settings.accelerometerTimeConstant)
        estimator = BiasEstimator(settings: settings)
        rest = RestDetector(settings: settings)
        field = MagneticReference(settings: settings)
        heading = HeadingEstimator(settings: settings)
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
        let sampled = inclination * inertial
        guard settings.gyroscopeDelay > 0 else { return sampled.renormalized }
        return (sampled * Quaternion(rotationVector: settings.gyroscopeDelay * rateWithoutBias)).renormalized
    }

    /// The turn about the vertical, in radians and counterclockwise from above, that takes ``attitude`` to one whose y axis
    /// points to magnetic north; nil before the first sample of the magnetometer.
    public var northOffset: Double? { heading.isKnown ? heading.offset : nil }

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

    /// Radians within which the true magnetic heading lies with a probability of 95 %; nil before the first sample of the
    /// magnetometer.
    public var headingUncertainty: Double? {
        guard heading.isKnown else { return nil }
        let drift = estimator.sigma * heading.rejectedTime
        let base = 2 * Settings.degree
        return min(
            .pi, 2 * (base * base + drift * drift + heading.disagreement * heading.disagreement / 4).squareRoot())
    }
}
