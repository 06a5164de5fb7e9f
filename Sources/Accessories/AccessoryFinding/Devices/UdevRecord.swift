// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// A snapshot of a kernel device's entry in the udev database. The snapshot can still be used after the device has been
/// removed.
package struct UdevRecord: Sendable, Hashable {
    /// The path in sysfs, such as "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2". The path identifies the device.
    package var path: String
    /// The subsystem, such as "tty", "usb", "hidraw" or "iio".
    package var subsystem: String
    /// The device type, such as "usb_device" or "usb_interface". Empty if the subsystem has no types.
    package var type: String
    /// The path of the device node, such as "/dev/ttyACM0". Empty if the device has no node.
    package var node: String
    /// True if udevd has a database entry for this device. After running its rules, udevd creates an entry for every
    /// device that has a node. A device without a node gets an entry only if a rule applies to it.
    package var isInitialized: Bool
    /// The udev properties, such as "ID_SERIAL_SHORT". Properties that describe an event rather than the device are not
    /// included.
    package var properties: [String: String]
    /// The values of the requested sysfs attributes, without the final newline. Nonexistent attributes are omitted, and
    /// binary attributes are in hexadecimal.
    package var attributes: [String: String]
    /// The sysfs path of the USB interface that contains this device, or of this device if it is itself a USB
    /// interface. Empty if there is none.
    package var usbInterface: String
    /// The sysfs path of the USB device that contains this device, or of this device if it is itself a USB device.
    /// Empty if there is none.
    package var usbDevice: String

    package init(
        path: String, subsystem: String, type: String = "", node: String = "", isInitialized: Bool = true,
        properties: [String: String] = [:], attributes: [String: String] = [:], usbInterface: String = "",
        usbDevice: String = ""
    ) {
        (self.path, self.subsystem, self.type) = (path, subsystem, type)
        (self.node, self.isInitialized, self.properties) = (node, isInitialized, properties)
        (self.attributes, self.usbInterface, self.usbDevice) = (attributes, usbInterface, usbDevice)
    }

    /// Returns the bytes of a binary attribute, or `nil` if the attribute is missing or not hexadecimal.
    package func bytes(of attribute: String) -> [UInt8]? {
        guard let digits = attributes[attribute]?.utf8 else { return nil }
        let bytes = HexDigit.bytes(digits)
        return 2 * bytes.count == digits.count ? bytes : nil
    }
}

extension UdevRecord {
    func property(_ name: String) -> String? {
        guard let text = properties[name], !text.isEmpty else { return nil }
        return text
    }

    func displayAttribute(_ name: String) -> String? { Self.sanitized(attributes[name]) }

    func displayProperty(_ name: String) -> String? { Self.sanitized(properties[name]) }

    /// Decodes udev's escape sequences in a property, such as "Test\x20Device", and sanitizes the result for display.
    func displayEncodedProperty(_ name: String) -> String? { Self.sanitized(properties[name].map(Self.decoded)) }

    private static func sanitized(_ text: String?) -> String? {
        guard let sanitized = text.map({ TerminalSanitizer.sanitized($0) }), !sanitized.isEmpty else { return nil }
        return sanitized
    }

    /// Reads a hexadecimal number of up to four digits from the attribute, or from the property if the attribute is
    /// missing or invalid.
    func number(attribute: String, property: String) -> UInt16? {
        for text in [attributes[attribute], properties[property]] {
            if let text, let number: UInt16 = HexDigit.number(text, atMost: 4) { return number }
        }
        return nil
    }

    /// Decodes udev's escape sequences, such as "\x20".
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let bytes = Array(text.utf8.prefix(4 * TerminalSanitizer.maximumLength))
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes.count - index >= 4, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "x"),
                let high = HexDigit.value(bytes[index + 2]), let low = HexDigit.value(bytes[index + 3])
            {
                result.append(high << 4 | low)
                index += 4
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
