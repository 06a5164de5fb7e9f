// SPDX-License-Identifier: Apache-2.0

/// A configured value and its origin.
public struct Setting<Value: Sendable>: Sendable {
    /// The origin of a setting's value.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// The default value.
        case standard
        /// The environment variable with the given name.
        case environment(String)
        /// The configuration file at the given path.
        case file(String)
        /// The program assigned the value.
        case program

        /// A description of the origin.
        public var description: String {
            switch self {
            case .standard: "default"
            case .environment(let name): "environment variable \(name)"
            case .file(let path): "file \(path)"
            case .program: "set by the program"
            }
        }
    }

    /// The effective value.
    public var value: Value
    /// The origin of the value.
    public var origin: Origin

    /// Creates a setting.
    public init(_ value: Value, origin: Origin = .standard) {
        self.value = value
        self.origin = origin
    }
}

/// The rule that determines whether programs can use the location. The raw value appears in configurations.
public enum LocationRule: String, Sendable {
    /// Undetermined until the program requests authorization or starts updates. Either action grants authorization.
    /// This is the default.
    case grant
    /// Undetermined until the program requests authorization. The request grants authorization, but starting updates
    /// does not.
    case ask
    /// Authorized as "always" from the start.
    case always
    /// Authorized as "when in use" from the start.
    case whenInUse
    /// Denied from the start.
    case deny
    /// Restricted: no program on this machine can use the location.
    case restrict
}

/// Settings for one or more motion sensors.
public struct SensorSetting: Sendable, Hashable {
    /// The ID, name or label of the sensor, or "*" for all sensors.
    public var sensor: String
    /// The sensor kind, or nil for all kinds.
    public var kind: SensorKind?
    /// The matrix that rotates readings into the device's axes, or nil to use the matrix from udev or the driver.
    public var mountMatrix: MountMatrix?
    /// The sign convention of the matrix, or nil to use the default.
    public var convention: MountConvention?
    /// The name of the trigger for the buffer, or nil to select a trigger automatically.
    public var trigger: String?
    /// True to read each axis from its attribute even if the sensor supports a buffer.
    public var isPolled: Bool

    /// Creates a setting.
    public init(
        sensor: String, kind: SensorKind? = nil, mountMatrix: MountMatrix? = nil, convention: MountConvention? = nil,
        trigger: String? = nil, isPolled: Bool = false
    ) {
        (self.sensor, self.kind, self.mountMatrix) = (sensor, kind, mountMatrix)
        (self.convention, self.trigger, self.isPolled) = (convention, trigger, isPolled)
    }

    package func applies(to description: SensorDescription) -> Bool {
        guard kind == nil || kind == description.kind else { return false }
        return sensor == "*" || [description.id, description.name, description.label].contains(sensor)
    }
}

/// The sign convention of an accelerometer's mount matrix. The raw value appears in configurations.
///
/// According to the kernel documentation, the matrix is a rotation, and an axis that points up reads +9.81 m/s². The
/// matrices in systemd's hardware database, however, were written for tablets with Windows sensors, so they yield x and
/// y with the opposite sign.
public enum MountConvention: String, Sendable {
    /// An axis that points up reads +9.81 m/s². This is the default for matrices from drivers and configuration files.
    case kernel
    /// As on Windows, an axis that points up reads -9.81 m/s², so the matrix's results are negated.
    case windows
    /// The matrix is ignored, so the sensor's axes are the device's axes.
    case raw
}
