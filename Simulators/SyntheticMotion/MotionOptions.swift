// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// How motion is made of a route, and what the trace of it holds.
public struct MotionOptions: Sendable, Hashable {
    /// How the device leans.
    public enum Turns: String, Sendable, CaseIterable {
        /// It stays level to the sides, as a car does.
        case flat
        /// It leans so that nothing is felt to the sides, as a bicycle and an aircraft do: the tangent of the angle is the
        /// force to the side over that upwards, near v·ψ̇ / g.
        case coordinated
    }

    /// The civil time at the start; nil for that of the route, and where it has none for the start of 2026.
    public var start: WallTime?
    /// The time since boot at the start.
    public var boot = BootTime(nanoseconds: 10_000_000_000)
    /// What determines all noise: the same seed and options give the same bytes.
    public var seed: UInt64 = 1

    /// Readings of accelerometer and gyroscope a second.
    public var sampleRate = 100.0
    /// Readings of the magnetometer a second; nil for the sample rate, at most 100.
    public var magnetometerRate: Double?
    /// Readings of the barometer a second; nil for the sample rate, at most 10.
    public var pressureRate: Double?
    /// Positions a second; 0 for none.
    public var fixRate = 1.0
    /// How long after its time a position arrives, in seconds.
    public var fixDelay = 0.0

    /// The seconds between the knots of the smooth path, 0.1 to 60. Corners and changes of speed are spread over six of
    /// them, with most of it in two; longer ones also calm a noisy track.
    public var smoothing = 1.0
    /// How it leans in turns.
    public var turns = Turns.flat
    /// Whether the slope of the way tips the device; false keeps it level, for tracks with noisy altitudes.
    public var pitches = true
    /// Whether the earth turns below: the gyroscope then reads its 15 degrees an hour, and moving masses are pushed aside
    /// (Coriolis).
    public var earthRotates = true

    /// Turns vectors from the axes of what moves (x right, y forward, z up) into those of the device. It has to be a
    /// rotation; the identity lies flat with the top edge forward.
    public var placement = MountMatrix.identity
    /// The mount matrix that the header tells: it turns readings from the sensors' axes into those of the device. It has
    /// to be a rotation.
    public var mountMatrix = MountMatrix.identity

    /// Accelerometer and gyroscope; nil for neither.
    public var inertialUnit: InertialUnit? = .ideal
    /// The magnetometer; nil for none.
    public var magnetometer: SensorModel? = .ideal
    /// The barometer; nil for none.
    public var barometer: SensorModel? = .ideal
    /// How much of the tolerance of its zero each sensor has at the start: 0 for sensors that were calibrated just before,
    /// 1 for what data sheets allow. Each axis draws a number between.
    public var biasFraction = 0.0
    /// The device's own field, in gauss and in the magnetometer's axes.
    public var hardIron = SIMD3<Double>.zero
    /// What iron makes of the field: a matrix in the magnetometer's axes. A reading is this matrix times the field, and
    /// the device's own field added.
    public var softIron = MountMatrix.identity

    /// The receiver.
    public var receiver = ReceiverNoise.ideal
    /// What the receiver is called in reports.
    public var receiverName = "/dev/synthetic"
    /// Metres from the ellipsoid up to mean sea level: the route's altitudes are above the sea, and geometry needs those
    /// above the ellipsoid.
    public var geoidSeparation = 0.0

    /// The standard options: everything, without noise.
    public init() {}

    /// The rates that hold, by what comes how often.
    var rates: (motion: Double, field: Double, pressure: Double) {
        (sampleRate, magnetometerRate ?? min(sampleRate, 100), pressureRate ?? min(sampleRate, 10))
    }
}
