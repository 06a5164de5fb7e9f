// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import JSONBytes

/// The accessories and candidates that the `list` command prints.
package struct AccessoryList: Sendable {
    var accessories: [AccessoryDescription] = []
    var candidates: [AccessoryCandidate] = []
    var problems: [DeviceError] = []

    @concurrent package static func load(_ source: any AccessorySource) async -> AccessoryList {
        AccessoryList(
            accessories: source.accessories, candidates: (source as? any AccessoryCandidateSource)?.candidates ?? [],
            problems: source.problems)
    }

    func rows(ink: TerminalStyle) -> [(name: String, value: String, remark: String)] {
        var rows: [(name: String, value: String, remark: String)] = []
        func row(_ name: String, _ value: String, _ remark: String = "") { rows.append((name, value, remark)) }
        if accessories.isEmpty { row("Accessories", "none") }
        for (index, accessory) in accessories.enumerated() {
            let maker = [accessory.manufacturer, accessory.modelNumber].filter { !$0.isEmpty && $0 != accessory.name }
            let serial = accessory.serialNumber.isEmpty ? [] : ["serial \(accessory.serialNumber)"]
            let words = [accessory.label] + (maker + serial).map(TerminalText.text)
            let port = accessory.portPath.isEmpty ? "" : ", port \(accessory.portPath)"
            row(
                index == 0 ? "Accessories" : "", words.joined(separator: "  "),
                TerminalText.text("\(accessory.identity)\(port)"))
            for offered in accessory.protocols {
                row("", "  \(offered.name)" + (offered.node.map { "  \($0.path)" } ?? ""), offered.origin.words)
            }
        }
        for (index, candidate) in candidates.enumerated() {
            row(
                index == 0 ? "Candidates" : "", "\(candidate.nodeDescription)  \(candidate.label)",
                candidate.portPath.isEmpty ? "" : "port \(TerminalText.text(candidate.portPath))")
            // Most candidates lack the same thing, so each reason is printed once, below the last of them.
            if !candidates.dropFirst(index + 1).contains(where: { $0.reason == candidate.reason }) {
                row("", "  " + ink.dim(TerminalText.text(candidate.reason)))
            }
        }
        for problem in problems { row("", ink.color(214, TerminalText.text(problem.description))) }
        return rows
    }

    func write(to writer: inout JSONWriter) {
        for accessory in accessories { writer.line(kind: "accessory") { $0.write(fieldsOf: accessory) } }
        for candidate in candidates {
            writer.line([
                "kind": "accessoryCandidate", "node": candidate.node, "name": candidate.name,
                "port": candidate.portPath, "vendor": candidate.vendorID.map(TerminalText.hex),
                "product": candidate.productID.map(TerminalText.hex), "interface": candidate.interface,
                "reason": candidate.reason, "setting": candidate.setting,
            ])
        }
        for problem in problems { writer.line(["kind": "problem", "message": problem.description]) }
    }
}

extension AccessoryProtocol.Origin {
    var words: String {
        switch self {
        case .configuration: "configuration"
        case .udevProperty: "udev property EXTERNAL_ACCESSORY_PROTOCOLS"
        case .interfaceString: "USB interface string"
        case .trace: "trace"
        }
    }
}

extension JSONWriter {
    mutating func write(fieldsOf accessory: AccessoryDescription) {
        member("id", accessory.id)
        members([
            "identity": accessory.identity, "name": accessory.name, "manufacturer": accessory.manufacturer,
            "model": accessory.modelNumber, "serial": accessory.serialNumber, "firmware": accessory.firmwareRevision,
            "hardware": accessory.hardwareRevision, "port": accessory.portPath,
            "vendor": accessory.vendorID.map(TerminalText.hex), "product": accessory.productID.map(TerminalText.hex),
        ])
        objects("protocols", accessory.protocols) { offered in
            [
                "name": offered.name, "origin": offered.origin.rawValue, "interface": offered.interface,
                "node": offered.node?.path,
            ]
        }
    }
}

extension AccessoryCandidate {
    /// The candidate's name or, if it is empty, the USB vendor and product IDs. If the IDs are also unknown, "a port of
    /// the board".
    package var label: String {
        if !name.isEmpty { return TerminalText.text(name) }
        guard let vendorID, let productID else { return "a port of the board" }
        return "\(TerminalText.hex(vendorID)):\(TerminalText.hex(productID))"
    }

    package var nodeDescription: String {
        guard case .usb = kind, let interface else { return node }
        return "\(node) interface \(interface)"
    }

    package enum Kind: String { case tty, hidraw, usb }

    package var kind: Kind {
        if node.hasPrefix("/dev/bus/usb/") { return .usb }
        return node.hasPrefix("/dev/hidraw") ? .hidraw : .tty
    }

    private static let exampleName = "com.example.protocol"

    /// A JSON configuration that declares the candidate as an accessory.
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
