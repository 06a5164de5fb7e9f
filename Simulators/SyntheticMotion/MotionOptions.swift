// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Options for synthesizing motion along a route.
public struct MotionOptions: Sendable, Hashable {
    /// Whether the body leans in curves.
    public enum LeanMode: String, Sendable, CaseIterable {
        /// The body remains level, like a car.
        case flat
        /// The body leans until it feels no lateral force, like a bicycle or an aircraft. The tangent of the lean angle
        /// is approximately v·ψ̇ / g, where v is the speed and ψ̇ the turn rate.
        case coordinated
    }

    /// The wall-clock time at the start of the trace. The default is the start time of the route or, if it has none,
    /// the start of 2026.
    public var start: WallTime?
    /// The time since boot at the start of the trace.
    public var boot = BootTime(nanoseconds: 10_000_000_000)
    /// The seed for the noise generators. The same seed and options produce the same bytes.
    public var seed: UInt64 = 1

    /// The sampling rate of the accelerometer and the gyroscope, in hertz.
    public var sampleRate = 100.0
    /// The sampling rate of the magnetometer, in hertz. If nil, the rate is `sampleRate`, but at most 100 Hz.
    public var magnetometerRate: Double?
    /// The sampling rate of the barometer, in hertz. If nil, the rate is `sampleRate`, but at most 10 Hz.
    public var pressureRate: Double?
    /// The position update rate in hertz, or 0 to omit positions.
    public var fixRate = 1.0
    /// The delay between the measurement and the arrival of a position, in seconds.
    public var fixDelay = 0.0

    /// The interval between the knots of the smooth path, from 0.1 to 60 seconds. Corners and speed changes are spread
    /// over six intervals. Larger values also smooth noisy positions.
    public var smoothing = 1.0
    /// Whether the body leans in curves.
    public var leanMode = LeanMode.flat
    /// Whether the pitch follows the slope of the route. Use false for routes with noisy altitudes.
    public var followsSlope = true
    /// Whether readings include the earth's rotation (15°/h) and the Coriolis acceleration.
    public var earthRotates = true

    /// The rotation from the body frame (x right, y forward, z up) to the device frame. The default is the identity.
    public var placement = MountMatrix.identity
    /// The mount matrix in the trace header, which rotates the sensor frame to the device frame.
    public var mountMatrix = MountMatrix.identity

    /// The accelerometer and the gyroscope, or nil to omit both.
    public var inertialUnit: InertialUnit? = .ideal
    /// The magnetometer, or nil to omit it.
    public var magnetometer: SensorModel? = .ideal
    /// The barometer, or nil to omit it.
    public var barometer: SensorModel? = .ideal
    /// The maximum random bias of each axis, as a fraction (0 to 1) of the data sheet's bias tolerance.
    public var biasFraction = 0.0
    /// The magnetic field of the device itself (hard iron) in the magnetometer's axes, in gauss.
    public var hardIron = SIMD3<Double>.zero
    /// The soft iron matrix in the magnetometer's axes. A reading is this matrix times the field, plus `hardIron`.
    public var softIron = MountMatrix.identity

    /// The noise of the receiver.
    public var receiver = ReceiverNoise.ideal
    /// The receiver's device path in reports.
    public var receiverName = "/dev/synthetic"
    /// The geoid separation, which is the height of mean sea level above the ellipsoid, in metres.
    public var geoidSeparation = 0.0

    /// Creates the default options, with all sensors and without noise.
    public init() {}

    /// The effective sampling rates, in hertz.
    var rates: (motion: Double, field: Double, pressure: Double) {
        (sampleRate, magnetometerRate ?? min(sampleRate, 100), pressureRate ?? min(sampleRate, 10))
    }
}

extension MotionOptions {
    static let maximumRate = 10_000.0

    package func check() throws(DeviceError) {
        func fail(_ text: String) -> DeviceError { DeviceError(.invalidConfiguration, text) }
        for (name, rate) in [
            ("sample rate", sampleRate), ("magnetometer rate", rates.field), ("barometer rate", rates.pressure),
        ] where !(rate >= 0.01 && rate <= Self.maximumRate) {
            throw fail("The \(name) must be between 0.01 and \(Int(Self.maximumRate)) Hz, not \(rate).")
        }
        guard fixRate == 0 || (fixRate >= 0.001 && fixRate <= 100) else {
            throw fail("The position rate must be 0, or between 0.001 and 100 Hz, not \(fixRate).")
        }
        for (name, value, range, limits) in [
            ("position delay", fixDelay, 0...10, "0 and 10 s"), ("smoothing", smoothing, 0.1...60, "0.1 and 60 s"),
            ("bias fraction", biasFraction, 0...1, "0 and 1"),
            ("height of the geoid above the ellipsoid", geoidSeparation, -1000...1000, "-1000 and 1000 m"),
        ] as [(String, Double, ClosedRange<Double>, String)] where !range.contains(value) {
            throw fail("The \(name) must be between \(limits), not \(value).")
        }
        for (name, matrix) in [
            ("placement of the device", placement), ("mount matrix of the sensors", mountMatrix),
        ] where !matrix.isRotation {
            throw fail("The \(name) is not a rotation: \(matrix.text)")
        }
        guard hardIron.isFinite(below: 100) else {
            throw fail("The device's own field must be three numbers below 100 gauss.")
        }
        let (a, b, c) = softIron.rows
        guard a.isFinite(below: 100), b.isFinite(below: 100), c.isFinite(below: 100), !softIron.isSingular else {
            throw fail("The soft iron matrix is singular or too large: \(softIron.text)")
        }
        let noises = [
            inertialUnit?.accelerometer, inertialUnit?.gyroscope, magnetometer?.noise, barometer?.noise,
        ].compactMap(\.self)
        guard noises.allSatisfy(\.isValid), receiver.isValid else {
            throw fail("A noise value is negative, too large, or not a number.")
        }
    }
}

extension MountMatrix {
    var isRotation: Bool {
        let (a, b, c) = rows
        let products = [
            (a * a).sum() - 1, (b * b).sum() - 1, (c * c).sum() - 1, (a * b).sum(), (a * c).sum(), (b * c).sum(),
        ]
        return products.allSatisfy { abs($0) < 1e-6 } && determinant > 0
    }

    var inverseRotation: MountMatrix {
        let (a, b, c) = rows
        return MountMatrix([a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z])
    }
}

extension SIMD3<Double> {
    func isFinite(below limit: Double) -> Bool { abs(x) < limit && abs(y) < limit && abs(z) < limit }
}
