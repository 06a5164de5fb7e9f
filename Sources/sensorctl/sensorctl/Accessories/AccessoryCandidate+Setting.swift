// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes

extension AccessoryCandidate {
    /// What it is called: what the device says of itself, else what its maker is called by number.
    var label: String {
        if !name.isEmpty { return Printable.text(name) }
        guard let vendorID, let productID else { return "a port of the board" }
        return "\(Printable.hex(vendorID)):\(Printable.hex(productID))"
    }

    /// The node, and of a node with several parts which one.
    var place: String {
        guard case .usb = kind, let interface else { return node }
        return "\(node) interface \(interface)"
    }

    /// What it would be opened as.
    enum Kind: String {
        case tty, hidraw, usb
    }

    /// What it would be opened as.
    var kind: Kind {
        if node.hasPrefix("/dev/bus/usb/") { return .usb }
        return node.hasPrefix("/dev/hidraw") ? .hidraw : .tty
    }

    private static let exampleName = "com.example.protocol"

    /// What to write into the configuration file, so that it becomes an accessory.
    var setting: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accessories")
        writer.beginObject()
        if let vendorID, let productID {
            writeRule(vendorID, productID, to: &writer)
        } else {
            writeDeclaration(to: &writer)
        }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func writeRule(_ vendor: UInt16, _ product: UInt16, to writer: inout JSONWriter) {
        writer.key("rules")
        writer.beginArray()
        writer.beginObject()
        writer.key("vendor")
        writer.string(Printable.hex(vendor))
        writer.key("product")
        writer.string(Printable.hex(product))
        if let interface {
            writer.key("interface")
            writer.int(Int64(interface))
        }
        writer.key("protocols")
        writer.beginArray()
        writer.string(Self.exampleName)
        writer.endArray()
        switch kind {
        case .tty:
            writer.key("speed")
            writer.int(Int64(115_200))
        case .hidraw:
            writer.key("reportLength")
            writer.int(Int64(64))
        case .usb: break
        }
        writer.endObject()
        writer.endArray()
    }

    private func writeDeclaration(to writer: inout JSONWriter) {
        writer.key("declared")
        writer.beginArray()
        writer.beginObject()
        writer.key("name")
        writer.string("My accessory")
        writer.key("protocols")
        writer.beginObject()
        writer.key(text: Self.exampleName)
        writer.beginObject()
        writer.key("tty")
        writer.string(node)
        writer.key("speed")
        writer.int(Int64(115_200))
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endArray()
    }
}
