// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import JSONBytes

/// A description of devices, with their sysfs and udev data, in umockdev's format.
///
/// The format is that of `umockdev-record` 0.17. Parsing is stricter than in umockdev. Errors for invalid input contain
/// the line number. ``text`` reproduces a parsed recording byte for byte.
package struct UmockdevDescription: Sendable, Hashable {
    /// The devices in file order. As in recordings, children may precede their parents.
    package var devices: [UmockdevDevice]

    package init(devices: [UmockdevDevice] = []) { self.devices = devices }

    package var accessories: [AccessoryDescription] { AccessoryDescription.detect(in: records) }

    /// The maximum size of a file, in bytes.
    package static let maximumSize = 16 << 20
    package static let maximumDevices = 20_000
    /// The maximum number of entries in a file. Limits memory use.
    package static let maximumEntries = 500_000
}

extension UmockdevDescription {
    /// The records that a udev monitor would report for these devices. Each record also includes the attributes of the
    /// device's USB interface and USB device.
    package var records: [UdevRecord] {
        var records = devices.map(Self.record)
        let indices = Dictionary(zip(records.map(\.path), records.indices), uniquingKeysWith: { first, _ in first })
        for index in records.indices {
            var path = records[index].path[...]
            while true {
                if let owner = indices[String(path)].map({ records[$0] }), owner.subsystem == "usb" {
                    switch owner.type {
                    case "usb_interface" where records[index].usbInterface.isEmpty:
                        records[index].usbInterface = owner.path
                        records[index].attributes.merge(owner.attributes) { own, _ in own }
                    case "usb_device":
                        records[index].usbDevice = owner.path
                        records[index].attributes.merge(owner.attributes) { own, _ in own }
                    default: break
                    }
                    // Stops at the first USB device, because the next one in the path would be the hub, which is not
                    // part of this device.
                    if owner.type == "usb_device" { break }
                }
                guard let slash = path.lastIndex(of: "/") else { break }
                path = path[..<slash]
            }
        }
        return records
    }

    private static func record(_ device: UmockdevDevice) -> UdevRecord {
        var properties: [String: String] = [:]
        var attributes: [String: String] = [:]
        for entry in device.entries {
            switch entry {
            case .property(let name, let value): properties[name] = value
            // Omits attributes that a udev monitor would not report.
            case .attribute(let name, let value) where AccessoryTree.attributes.contains(name):
                attributes[name] = line(value)
            case .binaryAttribute(let name, let value) where AccessoryTree.attributes.contains(name):
                attributes[name] = name == "descriptors" ? HexDigit.text(value) : line(value)
            default: continue
            }
        }
        return UdevRecord(
            path: "/sys\(device.path)", subsystem: properties["SUBSYSTEM"] ?? "", type: properties["DEVTYPE"] ?? "",
            node: device.node.map { "/dev/\($0)" } ?? "", properties: properties, attributes: attributes)
    }

    private static func line(_ bytes: [UInt8]) -> String {
        var bytes = bytes[...]
        while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

package struct UmockdevDevice: Sendable, Hashable {
    /// A line in a device's description, other than the path line.
    package enum Entry: Sendable, Hashable {
        /// `N:` The path of the device node, relative to /dev, and the node's contents if they were recorded.
        case node(name: String, contents: [UInt8]?)
        /// `S:` The path of a symbolic link to the device node, relative to /dev.
        case link(String)
        /// `E:` A udev property.
        case property(name: String, value: String)
        /// `A:` A sysfs attribute. The value includes the final newline.
        case attribute(name: String, value: [UInt8])
        /// `H:` A binary sysfs attribute.
        case binaryAttribute(name: String, value: [UInt8])
        /// `L:` A sysfs attribute that is a symbolic link.
        case attributeLink(name: String, target: String)
    }

    /// `P:` The path relative to /sys, such as "/devices/pci0000:00/0000:00:14.0/usb1/1-2".
    package var path: String
    /// The other lines of the description, in file order.
    package var entries: [Entry]

    package init(path: String, entries: [Entry] = []) {
        self.path = path
        self.entries = entries
    }

    package func property(_ name: String) -> String? {
        for case .property(name, let value) in entries { return value }
        return nil
    }

    /// Returns the value of a text attribute or a binary attribute.
    package func attribute(_ name: String) -> [UInt8]? {
        for entry in entries {
            switch entry {
            case .attribute(name, let value), .binaryAttribute(name, let value): return value
            default: continue
            }
        }
        return nil
    }

    /// The path of the device node, relative to /dev, or `nil` if the device has no node.
    package var node: String? {
        for case .node(let name, _) in entries { return name }
        return nil
    }
}

extension UmockdevDescription {
    /// The description as text, with an empty line after each device.
    package var text: [UInt8] {
        var bytes: [UInt8] = []
        for device in devices {
            bytes += "P: \(device.path)\n".utf8
            for entry in device.entries { Self.append(entry, to: &bytes) }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private static func append(_ entry: UmockdevDevice.Entry, to bytes: inout [UInt8]) {
        switch entry {
        case .node(let name, let contents):
            bytes += "N: \(name)".utf8
            if let contents {
                bytes.append(UInt8(ascii: "="))
                appendHex(contents, to: &bytes)
            }
        case .link(let name): bytes += "S: \(name)".utf8
        case .property(let name, let value): bytes += "E: \(name)=\(value)".utf8
        case .attribute(let name, let value):
            bytes += "A: \(name)=".utf8
            for byte in value { appendEscaped(byte, to: &bytes) }
        case .binaryAttribute(let name, let value):
            bytes += "H: \(name)=".utf8
            appendHex(value, to: &bytes)
        case .attributeLink(let name, let target): bytes += "L: \(name)=\(target)".utf8
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func appendHex(_ value: [UInt8], to bytes: inout [UInt8]) {
        bytes += HexDigit.text(value).uppercased().utf8
    }

    /// The letters that follow the backslash in the escape sequences for bytes 8 to 13, in order.
    static let escapes = Array("btnvfr".utf8)

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case 8...13: bytes += [UInt8(ascii: "\\"), escapes[Int(byte - 8)]]
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case 0x20..<0x7F: bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "\\"))
            for shift in [6, 3, 0] { bytes.append(UInt8(ascii: "0") + byte >> UInt8(shift) & 7) }
        }
    }
}
