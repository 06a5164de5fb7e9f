// This source file is part of the swift-device-services project.
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
