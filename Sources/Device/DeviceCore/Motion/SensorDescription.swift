// SPDX-License-Identifier: Apache-2.0

/// A motion sensor as its source knows it.
public struct SensorDescription: Sendable, Hashable, Identifiable {
    /// Names a sensor within its device for as long as the device lives, for example "local:/iio:device0/accel".
    public typealias ID = String

    /// How its readings come in.
    public enum Mode: String, Sendable {
        /// Through the kernel's buffer, with the driver's time stamps.
        case buffered
        /// By reading each axis in turn.
        case polled
        /// From a trace.
        case recorded
    }

    /// The name that requests and batches use.
    public var id: ID
    /// What it measures.
    public var kind: SensorKind
    /// The driver's or chip's name, for example "mpu6050"; empty when there is none.
    public var name = ""
    /// The label that the firmware gives it, for example "accel-display"; empty when there is none.
    public var label = ""
    /// Where on the machine it sits, as the driver says: "display", "base", "lid"; empty when it does not.
    public var location = ""
    /// The chip's serial number; empty when it tells none.
    public var serial = ""
    /// Where in the machine it is attached, the same after each start, for example "i2c-1/1-0068"; empty when not known.
    public var path = ""
    /// The address it is reached by, for example "local:" or "ip:192.168.2.1".
    public var source = ""
    /// The rates that it offers.
    public var rates = SensorRates.unknown
    /// How its readings come in.
    public var mode = Mode.buffered
    /// Turns readings from the sensor's axes into the device's: x right, y up (top edge), z out of the screen.
    public var mountMatrix = MountMatrix.identity
    /// Where the matrix comes from, in words: "in_accel_mount_matrix", a configuration file, or "none given".
    public var mountMatrixOrigin = ""
    /// The clock of its time stamps as the driver names it, for example "boottime"; empty when it stamps nothing.
    public var clock = ""
    /// What somebody should know about it, for example that its matrix could not be used; empty when all is well.
    public var remarks: [String] = []

    /// A sensor of that name and kind.
    public init(id: ID, kind: SensorKind) {
        self.id = id
        self.kind = kind
    }

    /// Its name; its id where it has none.
    package var shownName: String { name.isEmpty ? id : name }
}

/// The sampling rates that a sensor offers, in hertz.
public enum SensorRates: Sendable, Hashable {
    /// The driver does not say.
    case unknown
    /// One of these, in rising order.
    case list([Double])
    /// From the least to the greatest in steps of that size; a step of 0 is any rate between.
    case range(minimum: Double, step: Double, maximum: Double)

    /// The rate to set for at least that many samples a second: the smallest that suffices, else the greatest there is.
    ///
    /// Asking for infinity gives the greatest. Nil when the driver does not say what it offers.
    public func rate(atLeast wanted: Double) -> Double? {
        switch self {
        case .unknown: return nil
        case .list(let rates): return rates.first { $0 >= wanted * (1 - 1e-9) } ?? rates.last
        case .range(let minimum, let step, let maximum):
            guard wanted > minimum else { return minimum }
            guard wanted < maximum else { return maximum }
            guard step > 0 else { return wanted }
            let steps = ((wanted - minimum) / step - 1e-9).rounded(.up)
            return min(minimum + steps * step, maximum)
        }
    }

    /// The greatest rate; nil when the driver does not say.
    public var greatest: Double? { rate(atLeast: .infinity) }
}
