// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
import DeviceCore
import JSONBytes

extension AccessoryCandidate {
    /// The candidate's name for users: its own name, its USB vendor and product IDs, or "a port of the board".
    package var label: String {
        if !name.isEmpty { return TerminalText.text(name) }
        guard let vendorID, let productID else { return "a port of the board" }
        return "\(TerminalText.hex(vendorID)):\(TerminalText.hex(productID))"
    }

    /// The path of the device node, with the interface number for USB.
    package var nodeDescription: String {
        guard case .usb = kind, let interface else { return node }
        return "\(node) interface \(interface)"
    }

    /// The type of a device node.
    package enum Kind: String {
        case tty, hidraw, usb
    }

    /// The type of the device node.
    package var kind: Kind {
        if node.hasPrefix("/dev/bus/usb/") { return .usb }
        return node.hasPrefix("/dev/hidraw") ? .hidraw : .tty
    }

    private static let exampleName = "com.example.protocol"

    /// The configuration that turns the candidate into an accessory, as JSON.
    package var setting: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("accessories") { writer in
                if let vendorID, let productID {
                    writer.array("rules") { $0.object { writeRule(vendorID, productID, to: &$0) } }
                } else {
                    writer.array("declared") { $0.object { writeDeclaration(to: &$0) } }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func writeRule(_ vendor: UInt16, _ product: UInt16, to writer: inout JSONWriter) {
        writer.members(["vendor": TerminalText.hex(vendor), "product": TerminalText.hex(product)])
        writer.memberIfPresent("interface", interface)
        writer.member("protocols", [Self.exampleName])
        switch kind {
        case .tty: writer.member("speed", 115_200)
        case .hidraw: writer.member("reportLength", 64)
        case .usb: break
        }
    }

    private func writeDeclaration(to writer: inout JSONWriter) {
        writer.member("name", "My accessory")
        writer.object("protocols") { writer in
            writer.key(text: Self.exampleName)
            writer.object { $0.members(["tty": node, "speed": 115_200]) }
        }
    }
}
