// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

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
