// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
public import DeviceCore
import JSONBytes
package import UdevRecords

/// What umockdev's recordings of devices hold: devices as sysfs and udev show them.
///
/// The text format of `umockdev-record` 0.17. Reading is stricter than umockdev: what it would pass over or guess is an
/// error here, with the number of the line. ``text`` writes what `umockdev-record` would, so that a recording that is
/// read and written again stays the same, byte for byte.
public struct UmockdevDescription: Sendable, Hashable {
    /// The devices in the order of the file: children may come before their parents, as in recordings.
    public var devices: [UmockdevDevice]

    /// A description of those devices.
    public init(devices: [UmockdevDevice] = []) {
        self.devices = devices
    }

    /// The accessories of the description, by the rules that hold for live devices.
    public var accessories: [AccessoryDescription] { AccessoryDescription.found(in: records) }

    /// The largest file that is read, in bytes.
    public static let maximumSize = 16 << 20
    /// The most devices of a file.
    public static let maximumDevices = 20_000
    /// The most lines about devices of a file, all devices together: small ones take far more memory than room in it.
    public static let maximumEntries = 500_000
}

extension UmockdevDescription {
    /// The devices as a monitor of udev would tell of them: with the USB interface and the USB device that they belong
    /// to, whose attributes count where they have none of their own.
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
                    // Not the hub behind which it is.
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
            // No others, as from a monitor: each device gets those of the devices that it belongs to.
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

/// A device of a umockdev recording.
public struct UmockdevDevice: Sendable, Hashable {
    /// What a line of the file says of the device.
    public enum Entry: Sendable, Hashable {
        /// `N:` The node below /dev, and what can be read there; nil when the file does not say.
        case node(name: String, contents: [UInt8]?)
        /// `S:` A link to the node, below /dev.
        case link(String)
        /// `E:` A udev property.
        case property(name: String, value: String)
        /// `A:` An attribute of sysfs with its bytes, the line's end included.
        case attribute(name: String, value: [UInt8])
        /// `H:` An attribute whose bytes are no text.
        case binaryAttribute(name: String, value: [UInt8])
        /// `L:` An attribute that is a symbolic link, with its target.
        case attributeLink(name: String, target: String)
    }

    /// `P:` The path below /sys, as in "/devices/pci0000:00/0000:00:14.0/usb1/1-2".
    public var path: String
    /// What the other lines say, in their order.
    public var entries: [Entry]

    /// A device of those parts.
    public init(path: String, entries: [Entry] = []) {
        self.path = path
        self.entries = entries
    }

    /// The value of a udev property; nil when the file has none of that name.
    public func property(_ name: String) -> String? {
        for case .property(name, let value) in entries { return value }
        return nil
    }

    /// The bytes of an attribute; nil when the file has none of that name.
    public func attribute(_ name: String) -> [UInt8]? {
        for entry in entries {
            switch entry {
            case .attribute(name, let value), .binaryAttribute(name, let value): return value
            default: continue
            }
        }
        return nil
    }

    /// The node below /dev; nil when it has none.
    public var node: String? {
        for case .node(let name, _) in entries { return name }
        return nil
    }
}

extension UmockdevDescription {
    /// The bytes of the file: for each device its lines and an empty one.
    public var text: [UInt8] {
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

    /// The letters behind the backslash for the bytes from 8 to 13.
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
