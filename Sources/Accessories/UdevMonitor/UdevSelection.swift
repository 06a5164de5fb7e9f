// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The devices that a monitor looks at, and what it keeps of them.
public struct UdevSelection: Sendable, Hashable {
    /// As in "tty", "usb", "hidraw" or "iio".
    public var subsystem: String
    /// As in "usb_device"; nil for all types of the subsystem.
    public var type: String?
    /// The attributes of sysfs to keep, as in "serial": those of the device itself, else those of the USB interface or
    /// the USB device that it belongs to. Text, of which at most 4,096 bytes are kept.
    public var attributes: [String]
    /// Those to keep as hexadecimal digits, two for each byte, as in "descriptors"; at most 65,536 bytes.
    public var binaryAttributes: [String]

    /// Devices of that subsystem and type.
    public init(
        subsystem: String, type: String? = nil, attributes: [String] = [], binaryAttributes: [String] = []
    ) {
        self.subsystem = subsystem
        self.type = type
        self.attributes = attributes
        self.binaryAttributes = binaryAttributes
    }

    func matches(subsystem: String, type: String) -> Bool {
        self.subsystem == subsystem && (self.type == nil || self.type == type)
    }
}
