// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A device of the kernel as udev tells of it.
///
/// A value: it stays valid, with all that was asked for, when the device is gone.
public struct UdevRecord: Sendable, Hashable {
    /// The path in sysfs, as in "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2": what tells devices apart.
    public var path: String
    /// As in "tty", "usb", "hidraw" or "iio".
    public var subsystem: String
    /// As in "usb_device" or "usb_interface"; empty where the subsystem has no types.
    public var type: String
    /// The node, as in "/dev/ttyACM0"; empty when there is none.
    public var node: String
    /// True when udevd has run its rules for it; false where no udevd runs.
    public var isInitialized: Bool
    /// udev's properties, as in "ID_SERIAL_SHORT".
    public var properties: [String: String]
    /// Those attributes of sysfs that were asked for and exist, as they stand there, without the line's end; what is not
    /// text, as "descriptors", in hexadecimal digits.
    public var attributes: [String: String]

    /// A record of those parts.
    public init(
        path: String, subsystem: String, type: String = "", node: String = "", isInitialized: Bool = true,
        properties: [String: String] = [:], attributes: [String: String] = [:]
    ) {
        self.path = path
        self.subsystem = subsystem
        self.type = type
        self.node = node
        self.isInitialized = isInitialized
        self.properties = properties
        self.attributes = attributes
    }
}
