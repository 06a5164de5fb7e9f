// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Derives an accessory from a device's udev records.
struct AccessoryDetector {
    private let root: String
    private let rules: [AccessoryRule]
    /// The USB device's record, or the node's record if the node is not on USB.
    private let device: UdevRecord?
    private let parts: [Part]

    /// The records of a USB interface and its nodes, or the record of a node that is not on USB.
    private struct Part {
        var usbInterface: USBTopologyPosition.Interface?
        var interface: UdevRecord?
        var ttys: [UdevRecord] = []
        var hids: [UdevRecord] = []
    }

    init(root: String, records: [String: UdevRecord], rules: [AccessoryRule]) {
        self.root = root
        self.rules = rules
        device = records[root]
        var parts: [USBTopologyPosition.Interface?: Part] = [:]
        for record in records.values {
            guard let position = USBTopologyPosition(record), position.interface != nil || !position.isUSB else {
                continue
            }
            var part = parts[position.interface] ?? Part(usbInterface: position.interface)
            switch record.subsystem {
            // Some kernels create an additional record, without a node, for the port of a USB serial converter. The
            // condition excludes that record.
            case "tty" where !record.node.isEmpty: part.ttys.append(record)
            case "hidraw" where !record.node.isEmpty: part.hids.append(record)
            case "usb": part.interface = record
            default: break
            }
            parts[position.interface] = part
        }
        self.parts = parts.values.sorted { ($0.usbInterface?.number ?? 0) < ($1.usbInterface?.number ?? 0) }
    }

    func detect() -> AccessoryDetection {
        var detection = AccessoryDetection()
        // Nothing can be detected until the device's own record arrives.
        guard let device else { return detection }
        var description = makeDescription(of: device)
        detection.attachmentToken = "\(device.properties["DEVNUM"] ?? "") \(device.node)"
        let openable = parts.compactMap { part -> OpenablePart? in open(part, description, &detection) }
        for item in openable {
            let isOnly = item.node != nil && openable.count { $0.node != nil } == 1
            // `nil` means that a rule with an empty protocol list excludes the interface.
            guard let names = protocols(item, description, isOnly: isOnly, &detection) else { continue }
            if names.isEmpty {
                if Self.isPlaceholder(item.part, root) { continue }
                let reason = item.reason ?? "It has no protocol. Name one in a udev rule or in the configuration."
                detection.candidates.append(candidate(item, description, reason))
            }
            for (name, origin) in names {
                guard let node = item.node else {
                    detection.candidates.append(candidate(item, description, item.reason ?? ""))
                    break
                }
                if let first = description.accessoryProtocol(named: name) {
                    detection.warnings.append(
                        "The interfaces \(first.interface ?? 0) and \(item.number ?? 0) of \(description.identity) both "
                            + "have the protocol name \(name). The first one is used.")
                    continue
                }
                guard description.protocols.count < Self.maximumProtocols else { break }
                description.protocols.append(
                    AccessoryProtocol(name: name, origin: origin, interface: item.number, node: node))
                if !item.isInitialized { detection.uninitializedNodes.insert(node.path) }
            }
        }
        if !description.protocols.isEmpty { detection.description = description }
        return detection
    }

    /// The maximum number of protocols per accessory. No known accessory has more.
    private static let maximumProtocols = 100

    // MARK: Device

    private func makeDescription(of device: UdevRecord) -> AccessoryDescription {
        let isUSB = device.subsystem == "usb"
        let vendor = isUSB ? device.number(attribute: "idVendor", property: "ID_VENDOR_ID") : nil
        let product = isUSB ? device.number(attribute: "idProduct", property: "ID_MODEL_ID") : nil
        let port = isUSB ? String(root.split(separator: "/").last ?? "") : Self.kernelPath(root)
        let productName =
            device.displayAttribute("product") ?? device.displayEncodedProperty("ID_MODEL_ENC")
            ?? device.displayProperty("ID_MODEL")
        let serial =
            device.displayProperty("EXTERNAL_ACCESSORY_SERIAL") ?? device.displayAttribute("serial")
            ?? device.displayProperty("ID_SERIAL_SHORT") ?? ""
        var identity = "port:\(port)"
        if let vendor, let product, !serial.isEmpty {
            identity = "\(HexDigit.fourDigits(vendor)):\(HexDigit.fourDigits(product)):\(serial)"
        }
        // An on-board serial port has no product name, so it is named after its node.
        let nodeName = isUSB ? "" : TerminalSanitizer.sanitized(device.node.split(separator: "/").last ?? "")
        return AccessoryDescription(
            identity: identity, name: device.displayProperty("EXTERNAL_ACCESSORY_NAME") ?? productName ?? nodeName,
            manufacturer: device.displayProperty("EXTERNAL_ACCESSORY_MANUFACTURER")
                ?? device.displayAttribute("manufacturer") ?? device.displayEncodedProperty("ID_VENDOR_ENC")
                ?? device.displayProperty("ID_VENDOR") ?? "",
            modelNumber: device.displayProperty("EXTERNAL_ACCESSORY_MODEL") ?? productName
                ?? product.map { HexDigit.fourDigits($0) } ?? "",
            serialNumber: serial,
            firmwareRevision: device.displayProperty("EXTERNAL_ACCESSORY_FIRMWARE_REVISION")
                ?? Self.revision(device.displayAttribute("bcdDevice") ?? device.displayProperty("ID_REVISION") ?? ""),
            hardwareRevision: device.displayProperty("EXTERNAL_ACCESSORY_HARDWARE_REVISION") ?? "", portPath: port,
            vendorID: vendor, productID: product)
    }

    /// Formats a BCD revision, for example "0210" as "2.10".
    private static func revision(_ text: String) -> String {
        guard text.utf8.count == 4, text.utf8.allSatisfy({ HexDigit.value($0) != nil }) else { return text }
        return "\(text.hasPrefix("0") ? text.dropFirst().prefix(1) : text.prefix(2)).\(text.suffix(2))"
    }

    private static func kernelPath(_ path: String) -> String {
        path.hasPrefix("/sys/") ? String(path.dropFirst(4)) : path
    }

    // MARK: Parts

    /// An interface or node that can be opened, or could be if a missing setting or descriptor were supplied.
    private struct OpenablePart {
        var part: Part
        /// The USB interface number, or `nil` if the node is not on USB.
        var number: UInt8?
        /// The node to open, or `nil` if a setting or descriptor is missing. `reason` then describes the missing item.
        var node: ChannelNode?
        var path: String
        var isInitialized: Bool
        var reason: String?
        /// True if the interface has class 0xFF, subclass 0xF0 and protocol 0x01. The interface string is then a
        /// protocol name.
        var isNative = false
    }

    private func open(
        _ part: Part, _ description: AccessoryDescription, _ detection: inout AccessoryDetection
    ) -> OpenablePart? {
        let number = part.usbInterface?.number
        let matchingRules = rules.filter { $0.matches(description, interface: number) }
        if let tty = part.ttys.min(by: { Self.isBefore($0.node, $1.node) }) {
            if part.ttys.count > 1 {
                detection.warnings.append(
                    "Interface \(number ?? 0) of \(description.identity) has \(part.ttys.count) serial ports. "
                        + "\(tty.node) is used.")
            }
            let settings = matchingRules.lazy.compactMap(\.tty).first ?? TTYSettings()
            return OpenablePart(
                part: part, number: number, node: .tty(path: tty.node, settings), path: tty.node,
                isInitialized: tty.isInitialized)
        }
        if let hid = part.hids.min(by: { Self.isBefore($0.node, $1.node) }) {
            // Devices of the boot subclass, such as keyboards and mice, are neither accessories nor candidates.
            if part.interface.map({ Self.kind(of: $0) == (3, 1) }) ?? false { return nil }
            let framing = matchingRules.lazy.compactMap(\.hid).first
            return OpenablePart(
                part: part, number: number, node: framing.map { .hidraw(path: hid.node, $0) }, path: hid.node,
                isInitialized: hid.isInitialized,
                reason: framing == nil
                    ? "It is a HID device. A rule in the configuration must specify the length of its reports "
                        + "(reportLength)." : nil)
        }
        guard let device, let position = part.usbInterface, let interface = part.interface, Self.isNative(interface)
        else {
            return nil
        }
        var openable = OpenablePart(
            part: part, number: number, path: device.node, isInitialized: device.isInitialized, isNative: true)
        let descriptors = device.bytes(of: "descriptors").map { USBDescriptors($0) }
        if device.node.isEmpty {
            openable.reason = "Its USB device has no node. Mount /dev/bus/usb."
        } else if let pair = descriptors?.bulkPair(
            configuration: position.configuration, interface: position.number, alternate: 1)
        {
            openable.node = .usb(
                USBEndpoints(
                    path: device.node, interface: position.number, alternate: 1, input: pair.input, output: pair.output,
                    packetLength: pair.packetLength, inputPacketLength: pair.inputPacketLength))
        } else {
            openable.reason = "Its alternate setting 1 has no pair of bulk endpoints."
        }
        return openable
    }

    private static func kind(of interface: UdevRecord) -> (UInt8, UInt8) {
        let numbers = classes(of: interface)
        return (numbers.first ?? 0, numbers.dropFirst().first ?? 0)
    }

    private static func isNative(_ interface: UdevRecord) -> Bool { classes(of: interface) == [0xff, 0xf0, 0x01] }

    /// Returns the class, subclass and protocol of an interface. If any of the sysfs attributes is missing, all three
    /// values come from the uevent property `INTERFACE`.
    private static func classes(of interface: UdevRecord) -> [UInt8] {
        let names = ["bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol"]
        let numbers = names.compactMap { name -> UInt8? in
            interface.attributes[name].flatMap { HexDigit.number($0, atMost: 2) }
        }
        if numbers.count == 3 { return numbers }
        return (interface.properties["INTERFACE"] ?? "").split(separator: "/").compactMap { UInt8($0) }
    }

    /// Orders nodes by number, so that "ttyUSB9" precedes "ttyUSB10".
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        (left.utf8.count, left) < (right.utf8.count, right)
    }

    // MARK: Protocol names

    private func protocols(
        _ item: OpenablePart, _ description: AccessoryDescription, isOnly: Bool, _ detection: inout AccessoryDetection
    ) -> [(String, AccessoryProtocol.Origin)]? {
        for rule in rules where rule.canDeclare(description, interface: item.number) {
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
                    detection.warnings.append(
                        "\(property) of \(item.path) contains \"\(TerminalSanitizer.sanitized(name.prefix(100)))\", which is not a "
                            + "valid protocol name. It is ignored.")
                } else if !names.contains(where: { $0.0 == name }), names.count < Self.maximumProtocols {
                    names.append((name, .udevProperty))
                }
                if detection.warnings.count >= 100 { break }
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

    /// Returns true if a string is a reverse-DNS name that begins with a lowercase top-level domain. This rejects
    /// common strings that contain a dot, such as "USB2.0-Serial".
    private static func looksLikeProtocol(_ string: String) -> Bool {
        guard AccessoryProtocol.isValid(name: string), let first = string.utf8.split(separator: UInt8(ascii: ".")).first
        else { return false }
        return first.count >= 2 && first.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    // MARK: Candidates

    /// Returns true for ports that are not worth reporting as candidates: virtual terminals, and 8250 ports that may
    /// not exist in hardware.
    private static func isPlaceholder(_ part: Part, _ root: String) -> Bool {
        guard part.usbInterface == nil else { return false }
        // Compares path components, because a substring search would require the regular expression module.
        if root.split(separator: "/").dropLast().contains("serial8250") { return true }
        let name = root.split(separator: "/").last ?? ""
        return root.hasPrefix("/sys/devices/virtual/tty/") && !name.hasPrefix("rfcomm") && !name.hasPrefix("ttyGS")
    }

    private func candidate(
        _ item: OpenablePart, _ description: AccessoryDescription, _ reason: String
    ) -> AccessoryCandidate {
        AccessoryCandidate(
            name: description.name, portPath: description.portPath, vendorID: description.vendorID,
            productID: description.productID, interface: item.number, node: item.path, reason: reason)
    }
}
