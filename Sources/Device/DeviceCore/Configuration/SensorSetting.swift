// SPDX-License-Identifier: Apache-2.0

/// What a configuration says of one motion sensor.
public struct SensorSetting: Sendable, Hashable {
    /// The sensor's id, name or label; "*" for every one.
    public var sensor: String
    /// The kind that is meant; nil for all kinds of that sensor.
    public var kind: SensorKind?
    /// Turns readings into the device's axes; nil to take what the driver says.
    public var mountMatrix: MountMatrix?
    /// What the matrix is meant for; nil for the kernel's convention.
    public var convention: MountConvention?
    /// The trigger to use for its buffer; nil to look for one.
    public var trigger: String?
    /// True to read axis by axis, even where a buffer is offered.
    public var isPolled: Bool

    /// A setting for a sensor.
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

    /// True when it speaks of that sensor.
    public func applies(to description: SensorDescription) -> Bool {
        guard kind == nil || kind == description.kind else { return false }
        return sensor == "*" || [description.id, description.name, description.label].contains(sensor)
    }
}

/// What the numbers of an accelerometer's mount matrix are meant for.
///
/// The kernel's documents define the accelerometer as +9.81 on the axis that points up, and a matrix as a rotation. The
/// matrices in systemd's hardware database, which were made for tablets with Windows sensors, count the other way in x and y.
public enum MountConvention: String, Sendable {
    /// The matrix turns a reading that is +9.81 on the axis that points up, as the kernel's documents say. The default
    /// for matrices of the driver and of a configuration file.
    case kernel
    /// The matrix yields readings that are -9.81 on the axis that points up, as sensors for Windows have them; the
    /// result is turned round once more.
    case windows
    /// The matrix is left out; the sensor's axes are the device's.
    case raw
}
