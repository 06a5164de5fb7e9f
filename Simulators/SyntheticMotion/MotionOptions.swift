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

extension MotionOptions {
    static let maximumRate = 10_000.0

    /// Throws which option cannot be used, and what it could be.
    public func check() throws(DeviceError) {
        func fail(_ text: String) -> DeviceError { DeviceError(.invalidConfiguration, text) }
        for (name, rate) in [
            ("sample rate", sampleRate), ("magnetometer's rate", rates.field), ("barometer's rate", rates.pressure),
        ] where !(rate >= 0.01 && rate <= Self.maximumRate) {
            throw fail("The \(name) has to be between 0.01 and \(Int(Self.maximumRate)) Hz, and not \(rate).")
        }
        guard fixRate == 0 || (fixRate >= 0.001 && fixRate <= 100) else {
            throw fail("The rate of positions has to be 0, or between 0.001 and 100 Hz, and not \(fixRate).")
        }
        guard (0...10).contains(fixDelay) else {
            throw fail("The delay of positions has to be between 0 and 10 s, and not \(fixDelay).")
        }
        guard (0.1...60).contains(smoothing) else {
            throw fail("The smoothing has to be between 0.1 and 60 s, and not \(smoothing).")
        }
        guard (0...1).contains(biasFraction) else {
            throw fail("The fraction of the bias has to be between 0 and 1, and not \(biasFraction).")
        }
        guard placement.isRotation else {
            throw fail("The placement of the device is not a rotation: \(placement.text)")
        }
        guard mountMatrix.isRotation else {
            throw fail("The mount matrix of the sensors is not a rotation: \(mountMatrix.text)")
        }
        guard hardIron.isFinite(below: 100) else {
            throw fail("The device's own field has to be three numbers below 100 gauss.")
        }
        let (a, b, c) = softIron.rows
        guard a.isFinite(below: 100), b.isFinite(below: 100), c.isFinite(below: 100), !softIron.isSingular else {
            throw fail("The matrix of soft iron is singular or too large: \(softIron.text)")
        }
        guard (-1000...1000).contains(geoidSeparation) else {
            throw fail("The geoid has to be between -1000 and 1000 m from the ellipsoid, and not \(geoidSeparation).")
        }
        let noises = [
            inertialUnit?.accelerometer, inertialUnit?.gyroscope, magnetometer?.noise, barometer?.noise,
        ].compactMap(\.self)
        guard noises.allSatisfy(\.isValid), receiver.isValid else {
            throw fail("A figure of the noise is negative, too large, or not a number.")
        }
    }
}

extension MountMatrix {
    /// True when it turns and does nothing else.
    var isRotation: Bool {
        let (a, b, c) = rows
        let products = [
            (a * a).sum() - 1, (b * b).sum() - 1, (c * c).sum() - 1, (a * b).sum(), (a * c).sum(), (b * c).sum(),
        ]
        return products.allSatisfy { abs($0) < 1e-6 } && determinant > 0
    }

    /// The other way round, for a rotation.
    var inverseRotation: MountMatrix {
        let (a, b, c) = rows
        return MountMatrix([a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z])
    }
}

extension SIMD3<Double> {
    /// True when all three are numbers of a smaller magnitude.
    func isFinite(below limit: Double) -> Bool { abs(x) < limit && abs(y) < limit && abs(z) < limit }
}
