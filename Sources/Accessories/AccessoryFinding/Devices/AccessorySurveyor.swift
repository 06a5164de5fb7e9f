// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import UdevRecords

/// Makes an accessory out of the records of one device.
struct AccessorySurveyor {
    private let root: String
    private let rules: [AccessoryRule]
    /// The USB device; else the record of the node.
    private let device: UdevRecord?
    private let parts: [Part]

    /// What can be opened: an interface of USB, or a node without USB.
    private struct Part {
        var place: DevicePlace.Interface?
        var interface: UdevRecord?
        var ttys: [UdevRecord] = []
        var hids: [UdevRecord] = []
    }

    init(root: String, records: [String: UdevRecord], rules: [AccessoryRule]) {
        self.root = root
        self.rules = rules
        device = records[root]
        var parts: [DevicePlace.Interface?: Part] = [:]
        for record in records.values {
            guard let place = DevicePlace(record), place.interface != nil || !place.isUSB else { continue }
            var part = parts[place.interface] ?? Part(place: place.interface)
            switch record.subsystem {
            // Some kernels have a record for a port of a converter that has no node.
            case "tty" where !record.node.isEmpty: part.ttys.append(record)
            case "hidraw" where !record.node.isEmpty: part.hids.append(record)
            case "usb": part.interface = record
            default: break
            }
            parts[place.interface] = part
        }
        self.parts = parts.values.sorted { ($0.place?.number ?? 0) < ($1.place?.number ?? 0) }
    }

    func survey() -> AccessorySurvey {
        var survey = AccessorySurvey()
        // Without the device nothing is known of what is plugged in, not even that it is there.
        guard let device else { return survey }
        var description = described(device)
        survey.attachment = "\(device.properties["DEVNUM"] ?? "") \(device.node)"
        let openable = parts.compactMap { part -> Openable? in open(part, description, &survey) }
        for item in openable {
            let isOnly = item.node != nil && openable.count { $0.node != nil } == 1
            // A rule that names none is an answer too.
            guard let names = protocols(item, description, isOnly: isOnly, &survey) else { continue }
            if names.isEmpty {
                if Self.isPlaceholder(item.part, root) { continue }
                let reason = item.reason ?? "It has no protocol: name one in a udev rule or in the configuration."
                survey.candidates.append(candidate(item, description, reason))
            }
            for (name, origin) in names {
                guard let node = item.node else {
                    survey.candidates.append(candidate(item, description, item.reason ?? ""))
                    break
                }
                if let first = description.named(name) {
                    survey.remarks.append(
                        "The interfaces \(first.interface ?? 0) and \(item.number ?? 0) of \(description.identity) have "
                            + "both the name \(name). The first one counts.")
                    continue
                }
                guard description.protocols.count < Self.maximumProtocols else { break }
                description.protocols.append(
                    AccessoryProtocol(name: name, origin: origin, interface: item.number, node: node))
                if !item.isAttended { survey.unattendedNodes.insert(node.path) }
            }
        }
        if !description.protocols.isEmpty { survey.description = description }
        return survey
    }

    /// More than any device has.
    private static let maximumProtocols = 100

    // MARK: The device

    private func described(_ device: UdevRecord) -> AccessoryDescription {
        let isUSB = device.subsystem == "usb"
        let vendor = isUSB ? device.number(attribute: "idVendor", property: "ID_VENDOR_ID") : nil
        let product = isUSB ? device.number(attribute: "idProduct", property: "ID_MODEL_ID") : nil
        let port = isUSB ? String(root.split(separator: "/").last ?? "") : Self.kernelPath(root)
        let productName =
            device.shownAttribute("product") ?? device.shownEncodedProperty("ID_MODEL_ENC")
            ?? device.shownProperty("ID_MODEL")
        let serial =
            device.shownProperty("EXTERNAL_ACCESSORY_SERIAL") ?? device.shownAttribute("serial")
            ?? device.shownProperty("ID_SERIAL_SHORT") ?? ""
        var identity = "port:\(port)"
        if let vendor, let product, !serial.isEmpty {
            identity = "\(HexDigit.four(vendor)):\(HexDigit.four(product)):\(serial)"
        }
        // A serial port of the board has no name but its node's.
        let nodeName = isUSB ? "" : ShownText.cleaned(device.node.split(separator: "/").last ?? "")
        return AccessoryDescription(
            identity: identity, name: device.shownProperty("EXTERNAL_ACCESSORY_NAME") ?? productName ?? nodeName,
            manufacturer: device.shownProperty("EXTERNAL_ACCESSORY_MANUFACTURER")
                ?? device.shownAttribute("manufacturer") ?? device.shownEncodedProperty("ID_VENDOR_ENC")
                ?? device.shownProperty("ID_VENDOR") ?? "",
            modelNumber: device.shownProperty("EXTERNAL_ACCESSORY_MODEL") ?? productName
                ?? product.map { HexDigit.four($0) } ?? "",
            serialNumber: serial,
            firmwareRevision: device.shownProperty("EXTERNAL_ACCESSORY_FIRMWARE_REVISION")
                ?? Self.revision(device.shownAttribute("bcdDevice") ?? device.shownProperty("ID_REVISION") ?? ""),
            hardwareRevision: device.shownProperty("EXTERNAL_ACCESSORY_HARDWARE_REVISION") ?? "", portPath: port,
            vendorID: vendor, productID: product)
    }

    /// "0210" as "2.10".
    private static func revision(_ text: String) -> String {
        guard text.utf8.count == 4, text.utf8.allSatisfy({ HexDigit.value($0) != nil }) else { return text }
        return "\(text.hasPrefix("0") ? text.dropFirst().prefix(1) : text.prefix(2)).\(text.suffix(2))"
    }

    private static func kernelPath(_ path: String) -> String {
        path.hasPrefix("/sys/") ? String(path.dropFirst(4)) : path
    }

    // MARK: What can be opened

    /// A part that can be opened, or could be with more settings.
    private struct Openable {
        var part: Part
        /// The number of the interface.
        var number: UInt8?
        /// nil when something is missing, and then there is a reason.
        var node: ChannelNode?
        /// The node's path.
        var path: String
        /// udevd has run its rules for the node.
        var isAttended: Bool
        var reason: String?
        /// The interface's string is a protocol's name, by the kind of the interface.
        var isNative = false
    }

    private func open(
        _ part: Part, _ description: AccessoryDescription, _ survey: inout AccessorySurvey
    ) -> Openable? {
        let number = part.place?.number
        let fitting = rules.filter { $0.fits(description, interface: number) }
        if let tty = part.ttys.min(by: { Self.isBefore($0.node, $1.node) }) {
            if part.ttys.count > 1 {
                survey.remarks.append(
                    "Interface \(number ?? 0) of \(description.identity) has \(part.ttys.count) serial ports. "
                        + "\(tty.node) is used.")
            }
            let settings = fitting.lazy.compactMap(\.tty).first ?? TTYSettings()
            return Openable(
                part: part, number: number, node: .tty(path: tty.node, settings), path: tty.node,
                isAttended: tty.isInitialized)
        }
        if let hid = part.hids.min(by: { Self.isBefore($0.node, $1.node) }) {
            // Keyboards and mice are no accessories, and nobody wants to be told so.
            if part.interface.map({ Self.kind(of: $0) == (3, 1) }) ?? false { return nil }
            let framing = fitting.lazy.compactMap(\.hid).first
            return Openable(
                part: part, number: number, node: framing.map { .hidraw(path: hid.node, $0) }, path: hid.node,
                isAttended: hid.isInitialized,
                reason: framing == nil
                    ? "It is a HID device: a rule in the configuration has to say how long its reports are "
                        + "(reportLength)." : nil)
        }
        guard let device, let place = part.place, let interface = part.interface, Self.isNative(interface) else {
            return nil
        }
        var openable = Openable(
            part: part, number: number, path: device.node, isAttended: device.isInitialized, isNative: true)
        let descriptors = device.bytes(of: "descriptors").map { USBDescriptors($0) }
        if device.node.isEmpty {
            openable.reason = "Its USB device has no node: /dev/bus/usb is needed."
        } else if let pair = descriptors?.bulkPair(
            configuration: place.configuration, interface: place.number, alternate: 1)
        {
            openable.node = .usb(
                USBEndpoints(
                    path: device.node, interface: place.number, alternate: 1, input: pair.input, output: pair.output,
                    packetLength: pair.packetLength, inputPacketLength: pair.inputPacketLength))
        } else {
            openable.reason = "Its alternate setting 1 has no pair of bulk endpoints."
        }
        return openable
    }

    /// Class and subclass.
    private static func kind(of interface: UdevRecord) -> (UInt8, UInt8) {
        let numbers = classes(of: interface)
        return (numbers.first ?? 0, numbers.dropFirst().first ?? 0)
    }

    private static func isNative(_ interface: UdevRecord) -> Bool {
        classes(of: interface) == [0xff, 0xf0, 0x01]
    }

    /// Class, subclass and protocol, from sysfs, else from the kernel's own event.
    private static func classes(of interface: UdevRecord) -> [UInt8] {
        let names = ["bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol"]
        let numbers = names.compactMap { name -> UInt8? in
            interface.attributes[name].flatMap { HexDigit.number($0, atMost: 2) }
        }
        if numbers.count == 3 { return numbers }
        return (interface.properties["INTERFACE"] ?? "").split(separator: "/").compactMap { UInt8($0) }
    }

    /// ttyUSB9 is before ttyUSB10.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        (left.utf8.count, left) < (right.utf8.count, right)
    }

    // MARK: Names of protocols

    private func protocols(
        _ item: Openable, _ description: AccessoryDescription, isOnly: Bool, _ survey: inout AccessorySurvey
    ) -> [(String, AccessoryProtocol.Origin)]? {
        for rule in rules where rule.names(description, interface: item.number) {
            guard let names = rule.protocols else { continue }
            if names.isEmpty { return nil }
            return names.filter { AccessoryProtocol.isValid(name: $0) }.map { ($0, .configuration) }
        }
        let property = "EXTERNAL_ACCESSORY_PROTOCOLS"
        let nodes = (item.part.ttys + item.part.hids).filter { $0.node == item.path }
        let records = nodes + [item.part.interface, isOnly ? device : nil].compactMap { $0 }
        if let text = records.lazy.compactMap({ $0.property(property) }).first {
            var names: [(String, AccessoryProtocol.Origin)] = []
            for part in text.utf8.prefix(1 << 16).split(whereSeparator: { Self.isSeparator($0) }) {
                let name = String(decoding: part, as: UTF8.self)
                if !AccessoryProtocol.isValid(name: name) {
                    survey.remarks.append(
                        "\(property) of \(item.path) holds \"\(ShownText.cleaned(name.prefix(100)))\", which is not the "
                            + "name of a protocol. It is ignored.")
                } else if !names.contains(where: { $0.0 == name }), names.count < Self.maximumProtocols {
                    names.append((name, .udevProperty))
                }
                if survey.remarks.count >= 100 { break }
            }
            if !names.isEmpty { return names }
        }
        guard let string = item.part.interface?.attributes["interface"],
            item.isNative ? AccessoryProtocol.isValid(name: string) : Self.looksLikeProtocol(string)
        else { return [] }
        return [(string, .interfaceString)]
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Many interfaces are called "USB2.0-Serial" and the like, which has a dot and is no name of a protocol.
    private static func looksLikeProtocol(_ string: String) -> Bool {
        guard AccessoryProtocol.isValid(name: string), let first = string.utf8.split(separator: UInt8(ascii: ".")).first
        else { return false }
        return first.count >= 2 && first.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    // MARK: Candidates

    /// True for terminals of the system and for serial ports that the board could have: nobody wants to hear of those.
    private static func isPlaceholder(_ part: Part, _ root: String) -> Bool {
        guard part.place == nil else { return false }
        // By its parts: a search for text would bring the regular expressions of the standard library along.
        if root.split(separator: "/").dropLast().contains("serial8250") { return true }
        let name = root.split(separator: "/").last ?? ""
        return root.hasPrefix("/sys/devices/virtual/tty/") && !name.hasPrefix("rfcomm") && !name.hasPrefix("ttyGS")
    }

    private func candidate(
        _ item: Openable, _ description: AccessoryDescription, _ reason: String
    ) -> AccessoryCandidate {
        AccessoryCandidate(
            name: description.name, portPath: description.portPath, vendorID: description.vendorID,
            productID: description.productID, interface: item.number, node: item.path, reason: reason)
    }
}
