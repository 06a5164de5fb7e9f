// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// What a configuration says of accessories of some kind.
public struct AccessoryRule: Sendable, Hashable {
    /// The USB vendor; nil for any.
    public var vendorID: UInt16?
    /// The USB product; nil for any.
    public var productID: UInt16?
    /// The serial number; nil for any.
    public var serialNumber: String?
    /// The port that it is plugged into, as in "1-2.4"; nil for any.
    public var portPath: String?
    /// The USB interface that the rest is about; nil for every one that has a node.
    public var interface: UInt8?
    /// The protocols that are spoken there, in place of what the accessory and udev say: none with an empty
    /// list; nil to leave them.
    public var protocols: [String]?
    /// How a serial port is set up; nil for the defaults.
    public var tty: TTYSettings?
    /// Reports are read as a stream only where this says how.
    public var hid: HIDFraming?

    /// A rule that says nothing of everything.
    public init() {}
}

extension AccessoryRule {
    /// True when the rule is about that interface of the accessory; the interface is nil where there is no USB.
    func fits(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        (vendorID == nil || vendorID == accessory.vendorID)
            && (productID == nil || productID == accessory.productID)
            && (serialNumber == nil || serialNumber == accessory.serialNumber)
            && (portPath == nil || portPath == accessory.portPath)
            && (self.interface == nil || self.interface == interface)
    }

    /// True when the rule may make an accessory of it: outside of USB only where it names the port, for else a rule for
    /// everything would make one of each serial port that the board could have.
    func names(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        fits(accessory, interface: interface) && (interface != nil || portPath != nil)
    }

    /// Reads a rule; nil when something in it cannot be used: half of a rule could fit more than it is meant for.
    static func read(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String
    ) throws(JSONError) -> AccessoryRule? {
        let consequence = "The rule is left out."
        guard try json.isObject(&reader, name, consequence) else { return nil }
        var rule = AccessoryRule()
        var settings = NodeSettings()
        var isUsable = true
        try json.beginObject(&reader)
        while let key = try json.nextKey(&reader, name + ".") {
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
        _ reader: inout JSONReader, _ json: inout SettingsJSON, _ name: String, _ consequence: String
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
