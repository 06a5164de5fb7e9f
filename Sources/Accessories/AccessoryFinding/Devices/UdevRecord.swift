// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

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
    /// True when udevd keeps a record of it, as it does of every device with a node once its rules have been run; false
    /// until then, where no udevd runs, and for devices without a node of which no rule says anything.
    public var isInitialized: Bool
    /// udev's properties, as in "ID_SERIAL_SHORT", without those that belong to a single message.
    public var properties: [String: String]
    /// Those attributes of sysfs that were asked for and exist, as they stand there, without the line's end; what is not
    /// text, as "descriptors", in hexadecimal digits.
    public var attributes: [String: String]
    /// The path of the USB interface that it is or belongs to; empty when there is none.
    public var usbInterface: String
    /// The path of the USB device that it is or belongs to; empty when there is none.
    public var usbDevice: String

    /// A record of those parts.
    public init(
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
    public func bytes(of attribute: String) -> [UInt8]? {
        guard let digits = attributes[attribute]?.utf8 else { return nil }
        let bytes = HexDigit.bytes(digits)
        return 2 * bytes.count == digits.count ? bytes : nil
    }
}

extension UdevRecord {
    /// A property with something in it.
    func property(_ name: String) -> String? {
        guard let text = properties[name], !text.isEmpty else { return nil }
        return text
    }

    /// An attribute with something in it, to be shown.
    func shownAttribute(_ name: String) -> String? {
        Self.shown(attributes[name])
    }

    /// A property with something in it, to be shown.
    func shownProperty(_ name: String) -> String? {
        Self.shown(properties[name])
    }

    /// A property in which udev has written some bytes as "\x20", to be shown.
    func shownEncodedProperty(_ name: String) -> String? {
        Self.shown(properties[name].map(Self.decoded))
    }

    private static func shown(_ text: String?) -> String? {
        guard let shown = text.map({ ShownText.cleaned($0) }), !shown.isEmpty else { return nil }
        return shown
    }

    /// A number of up to four hexadecimal digits, in an attribute or else in a property.
    func number(attribute: String, property: String) -> UInt16? {
        for text in [attributes[attribute], properties[property]] {
            if let text, let number: UInt16 = HexDigit.number(text, atMost: 4) { return number }
        }
        return nil
    }

    /// The text with "\x20" and the like resolved.
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let bytes = Array(text.utf8.prefix(4 * ShownText.maximumLength))
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
