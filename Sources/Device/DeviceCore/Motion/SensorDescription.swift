// SPDX-License-Identifier: Apache-2.0

/// The properties of a motion sensor.
public struct SensorDescription: Sendable, Hashable, Identifiable {
    /// Identifies a sensor during the lifetime of its device, for example "local:/iio:device0/accel".
    public typealias ID = String

    /// The methods of obtaining readings.
    public enum Mode: String, Sendable {
        /// Readings come from the kernel's buffer, with timestamps from the driver.
        case buffered
        /// Each axis is read from its attribute.
        case polled
        /// Readings come from a trace.
        case recorded
    }

    /// The identifier of the sensor in requests and batches.
    public var id: ID
    /// The kind of the sensor.
    public var kind: SensorKind
    /// The name of the driver or chip, for example "mpu6050". Empty if there is none.
    public var name = ""
    /// The label from the firmware, for example "accel-display". Empty if there is none.
    public var label = ""
    /// The sensor's location in the machine, as reported by the driver: "display", "base" or "lid". Empty if unknown.
    public var location = ""
    /// The chip's serial number. Empty if unknown.
    public var serial = ""
    /// The sensor's hardware path, for example "i2c-1/1-0068", which stays the same across reboots. Empty if unknown.
    public var path = ""
    /// The address of the context, for example "local:" or "ip:192.168.2.1".
    public var source = ""
    /// The supported rates.
    public var rates = SensorRates.unknown
    /// The method of obtaining readings.
    public var mode = Mode.buffered
    /// The matrix that rotates readings into the device's axes: x to the right, y to the top edge, z out of the screen.
    public var mountMatrix = MountMatrix.identity
    /// The origin of the matrix, as text, for example "in_accel_mount_matrix", "the configuration" or "none given".
    public var mountMatrixOrigin = ""
    /// The driver's name for the clock that provides the timestamps, for example "boottime". Empty if there are no
    /// timestamps.
    public var clock = ""
    /// Remarks for the user, for example about an unusable matrix.
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
    /// All rates from the minimum to the maximum, in the given steps. A step of 0 allows any rate in the range.
    case range(minimum: Double, step: Double, maximum: Double)

    /// Returns the lowest supported rate that is not below the requested rate. If there is none, for example if the
    /// requested rate is infinite, returns the highest supported rate. Returns nil if the driver does not report its
    /// rates.
    package func rate(atLeast wanted: Double) -> Double? {
        // The tolerances of 1e-9 absorb rounding errors.
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

    package var maximum: Double? { rate(atLeast: .infinity) }
}
