// SPDX-License-Identifier: Apache-2.0

/// The properties of a motion sensor.
public struct SensorDescription: Sendable, Hashable, Identifiable {
    /// Identifies a sensor during the lifetime of its device, for example "local:/iio:device0/accel".
    public typealias ID = String

    /// The method by which readings are obtained.
    public enum Mode: String, Sendable {
        /// Through the kernel's buffer, with time stamps of the driver.
        case buffered
        /// By reading each axis from its attribute.
        case polled
        /// From a trace.
        case recorded
    }

    /// The identifier for requests and batches.
    public var id: ID
    /// The kind of the sensor.
    public var kind: SensorKind
    /// The name of the driver or chip, for example "mpu6050"; empty if there is none.
    public var name = ""
    /// The label from the firmware, for example "accel-display"; empty if there is none.
    public var label = ""
    /// The location in the machine that the driver reports: "display", "base", "lid"; empty if it reports none.
    public var location = ""
    /// The serial number of the chip; empty if it reports none.
    public var serial = ""
    /// The hardware path of the sensor, for example "i2c-1/1-0068"; empty if unknown. Does not change between boots.
    public var path = ""
    /// The address of the context, for example "local:" or "ip:192.168.2.1".
    public var source = ""
    /// The supported rates.
    public var rates = SensorRates.unknown
    /// The method by which readings are obtained.
    public var mode = Mode.buffered
    /// The matrix that rotates readings into the device's axes: x to the right, y to the top edge, z out of the screen.
    public var mountMatrix = MountMatrix.identity
    /// A description of the origin of the matrix: "in_accel_mount_matrix", a configuration file, or "none given".
    public var mountMatrixOrigin = ""
    /// The driver's name of the clock for time stamps, for example "boottime"; empty if there are no time stamps.
    public var clock = ""
    /// Remarks for the user, for example that a matrix is unusable; empty if there are none.
    public var remarks: [String] = []

    /// Creates a description with default values.
    public init(id: ID, kind: SensorKind) {
        self.id = id
        self.kind = kind
    }

    package var displayName: String { name.isEmpty ? id : name }
}

/// The sampling rates that a sensor supports, in hertz.
public enum SensorRates: Sendable, Hashable {
    /// The driver does not report its rates.
    case unknown
    /// The listed rates, in ascending order.
    case list([Double])
    /// The rates from the minimum to the maximum in steps. With a step of 0, any rate in between.
    case range(minimum: Double, step: Double, maximum: Double)

    /// Returns the lowest rate that is at least the requested rate, or the highest rate if there is none.
    ///
    /// Infinity selects the highest rate. Returns nil if the driver does not report its rates.
    package func rate(atLeast wanted: Double) -> Double? {
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

    /// The highest rate; nil if the driver does not report its rates.
    package var maximum: Double? { rate(atLeast: .infinity) }
}
