// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension AccessoryRule {
    /// Reads a rule; nil when something in it cannot be used: half of a rule could fit more than it is meant for.
    static func read(
        _ reader: inout JSONReader, _ json: inout AccessoryJSON, name: String
    ) throws(JSONError) -> AccessoryRule? {
        let consequence = "The rule is left out."
        guard try json.isObject(&reader, name, consequence) else { return nil }
        var rule = AccessoryRule()
        var settings = NodeSettings()
        var isUsable = true
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            let full = "\(name).\(key)"
            let isTaken: Bool
            switch key {
            case "vendor":
                rule.vendorID = try readID(&reader, &json, full, consequence)
                isTaken = rule.vendorID != nil
            case "product":
                rule.productID = try readID(&reader, &json, full, consequence)
                isTaken = rule.productID != nil
            case "serial":
                rule.serialNumber = try json.text(&reader, full, consequence)
                isTaken = rule.serialNumber != nil
            case "port":
                rule.portPath = try json.text(&reader, full, consequence)
                isTaken = rule.portPath != nil
            case "interface":
                rule.interface = try json.number(&reader, full, 0...255, consequence).map { UInt8(clamping: $0) }
                isTaken = rule.interface != nil
            case "protocols":
                // A bad name leaves the good ones; with none left the rule would hide the accessory.
                rule.protocols = try json.protocolNames(&reader, full)
                isTaken = rule.protocols != nil
            default:
                isTaken = try settings.read(key, &reader, &json, name: full, consequence: consequence)
            }
            isUsable = isUsable && isTaken
        }
        guard isUsable else { return nil }
        if settings.hasTTY { rule.tty = settings.tty }
        if settings.hasHID {
            guard let framing = settings.hid else {
                json.note(name + ".reportNumber", "needs a reportLength beside it", consequence)
                return nil
            }
            rule.hid = framing
        }
        return rule
    }

    private static func readID(
        _ reader: inout JSONReader, _ json: inout AccessoryJSON, _ name: String, _ consequence: String
    ) throws(JSONError) -> UInt16? {
        guard let text = try json.text(&reader, name, consequence) else { return nil }
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        if (1...4).contains(digits.utf8.count), digits.utf8.first != UInt8(ascii: "+"),
            let id = UInt16(digits, radix: 16)
        {
            return id
        }
        json.note(name, "is not a number of up to four hexadecimal digits such as \"1209\"", consequence)
        return nil
    }
}
