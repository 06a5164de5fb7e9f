// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A device of the kernel as udev tells of it.
///
/// A value: it stays valid, with all that was asked for, when the device is gone.
package struct UdevRecord: Sendable, Hashable {
    /// The path in sysfs, as in "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2": what tells devices apart.
    package var path: String
    /// As in "tty", "usb", "hidraw" or "iio".
    package var subsystem: String
    /// As in "usb_device" or "usb_interface"; empty where the subsystem has no types.
    package var type: String
    /// The node, as in "/dev/ttyACM0"; empty when there is none.
    package var node: String
    /// True when udevd keeps a record of it, as it does of every device with a node once its rules have been run; false
    /// until then, where no udevd runs, and for devices without a node of which no rule says anything.
    package var isInitialized: Bool
    /// udev's properties, as in "ID_SERIAL_SHORT", without those that belong to a single message.
    package var properties: [String: String]
    /// Those attributes of sysfs that were asked for and exist, as they stand there, without the line's end; what is not
    /// text, as "descriptors", in hexadecimal digits.
    package var attributes: [String: String]
    /// The path of the USB interface that it is or belongs to; empty when there is none.
    package var usbInterface: String
    /// The path of the USB device that it is or belongs to; empty when there is none.
    package var usbDevice: String

    /// A record of those parts.
    package init(
        path: String, subsystem: String, type: String = "", node: String = "", isInitialized: Bool = true,
        properties: [String: String] = [:], attributes: [String: String] = [:], usbInterface: String = "",
        usbDevice: String = ""
    ) {
        self.path = path
        self.subsystem = subsystem
        self.type = type
        self.node = node
        self.isInitialized = isInitialized
        self.properties = properties
        self.attributes = attributes
        self.usbInterface = usbInterface
        self.usbDevice = usbDevice
    }

    /// The bytes of a binary attribute; nil when there is none, or when it is no hexadecimal text.
    package func bytes(of attribute: String) -> [UInt8]? {
        guard let digits = attributes[attribute]?.utf8 else { return nil }
        let bytes = HexDigit.bytes(digits)
        return 2 * bytes.count == digits.count ? bytes : nil
    }
}
