// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A device, or a trigger, of a context.
public struct IIODevice: Sendable, Hashable {
    /// "iio:device0", or "trigger0" for a trigger.
    public var id: String
    /// The name that the driver gives, for example "mpu6050"; not unique. Empty when there is none.
    public var name: String
    /// The label that the firmware gives, for example "accel-display"; empty when there is none.
    public var label: String
    /// Its channels, in the order of their scan indexes, those without one last.
    public var channels: [IIOChannel]
    /// Attributes of the device as a whole.
    public var attributes: [IIOAttribute]
    /// Attributes in debugfs.
    public var debugAttributes: [IIOAttribute]
    /// Attributes of its buffer.
    public var bufferAttributes: [IIOAttribute]

    /// A device of those parts.
    public init(
        id: String, name: String = "", label: String = "", channels: [IIOChannel] = [],
        attributes: [IIOAttribute] = [], debugAttributes: [IIOAttribute] = [], bufferAttributes: [IIOAttribute] = []
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.channels = channels
        self.attributes = attributes
        self.debugAttributes = debugAttributes
        self.bufferAttributes = bufferAttributes
    }

    /// True for a trigger.
    public var isTrigger: Bool { id.hasPrefix("trigger") }

    /// The input channel of that id.
    public func channel(_ id: String) -> IIOChannel? { channels.first { $0.id == id && !$0.isOutput } }

    /// The attribute of the device of that name.
    public func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}
