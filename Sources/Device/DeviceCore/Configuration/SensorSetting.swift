// SPDX-License-Identifier: Apache-2.0

/// The configuration of a motion sensor.
public struct SensorSetting: Sendable, Hashable {
    /// The id, name or label of the sensor; "*" for all sensors.
    public var sensor: String
    /// The kind of the sensor; nil for all kinds.
    public var kind: SensorKind?
    /// The matrix that rotates readings into the device's axes; nil to use the driver's matrix.
    public var mountMatrix: MountMatrix?
    /// The convention of the matrix; nil for the kernel's convention.
    public var convention: MountConvention?
    /// The name of the trigger for the buffer; nil to select one automatically.
    public var trigger: String?
    /// True to read each axis from its attribute, even if the sensor supports a buffer.
    public var isPolled: Bool

    /// Creates a setting.
    public init(
        sensor: String, kind: SensorKind? = nil, mountMatrix: MountMatrix? = nil, convention: MountConvention? = nil,
        trigger: String? = nil, isPolled: Bool = false
    ) {
        self.sensor = sensor
        self.kind = kind
        self.mountMatrix = mountMatrix
        self.convention = convention
        self.trigger = trigger
        self.isPolled = isPolled
    }

    /// True if the setting applies to the sensor.
    public func applies(to description: SensorDescription) -> Bool {
        guard kind == nil || kind == description.kind else { return false }
        return sensor == "*" || [description.id, description.name, description.label].contains(sensor)
    }
}

/// The sign convention of an accelerometer's mount matrix.
///
/// The kernel documentation defines an accelerometer reading as +9.81 on the axis that points up, and the matrix as a
/// rotation. The matrices in systemd's hardware database were made for tablets with Windows sensors and have the
/// opposite sign in x and y.
public enum MountConvention: String, Sendable {
    /// The matrix applies to readings that are +9.81 on the axis that points up, as defined by the kernel
    /// documentation. The default for matrices of the driver and of a configuration file.
    case kernel
    /// The matrix yields readings that are -9.81 on the axis that points up, the convention of Windows. The result is
    /// negated.
    case windows
    /// The matrix is ignored; the sensor's axes are the device's axes.
    case raw
}
