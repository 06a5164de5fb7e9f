// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// A rule in the configuration. It sets the protocols and node settings of the accessories that it matches. A condition
/// that is `nil` matches every accessory.
package struct AccessoryRule: Sendable, Hashable {
    package var vendorID: UInt16?
    package var productID: UInt16?
    package var serialNumber: String?
    /// The port, such as "1-2.4", or `nil` to match every port.
    package var portPath: String?
    /// The USB interface to which the rule applies, or `nil` for every interface that has a node.
    package var interface: UInt8?
    /// The protocols that replace those from udev and the interface string. An empty list removes all protocols. `nil`
    /// leaves the protocols unchanged.
    package var protocols: [String]?
    package var tty: TTYSettings?
    /// The framing of HID reports. Required to open a HID interface.
    package var hid: HIDFraming?

    package init() {}
}

extension AccessoryRule {
    /// `interface` is `nil` if the accessory is not on USB.
    func matches(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        (vendorID == nil || vendorID == accessory.vendorID) && (productID == nil || productID == accessory.productID)
            && (serialNumber == nil || serialNumber == accessory.serialNumber)
            && (portPath == nil || portPath == accessory.portPath)
            && (self.interface == nil || self.interface == interface)
    }

    /// Returns true if the rule may turn the device into an accessory. If the device is not on USB, the rule must
    /// specify its port. Otherwise, a rule without conditions would turn every on-board serial port into an accessory.
    func canDeclare(_ accessory: AccessoryDescription, interface: UInt8?) -> Bool {
        matches(accessory, interface: interface) && (interface != nil || portPath != nil)
    }

    /// Reads a rule. Returns `nil` if any value is invalid, because ignoring the value could make the rule match
    /// accessories for which it was not intended.
    static func read(
        _ reader: inout JSONReader, _ json: inout SettingsJSON, name: String
    ) throws(JSONError) -> AccessoryRule? {
        let consequence = "The rule is ignored."
        var rule = AccessoryRule()
        var settings = NodeSettings()
        var isUsable = true
        func assign<Value>(_ property: WritableKeyPath<AccessoryRule, Value?>, _ value: Value?) {
            rule[keyPath: property] = value
            isUsable = isUsable && value != nil
        }
        let isObject = try json.readObject(&reader, name, consequence) { key, name, reader, json throws(JSONError) in
            switch key {
            case "vendor": assign(\.vendorID, try readID(&reader, &json, name, consequence))
            case "product": assign(\.productID, try readID(&reader, &json, name, consequence))
            case "serial": assign(\.serialNumber, try json.text(&reader, name, consequence))
            case "port": assign(\.portPath, try json.text(&reader, name, consequence))
            case "interface":
                let number = try json.number(&reader, name, 0...255, consequence)
                assign(\.interface, number.map { UInt8(clamping: $0) })
            // Rejects the rule if none of the names is valid, because an empty list of protocols would hide the
            // accessory.
            case "protocols": assign(\.protocols, try json.protocolNames(&reader, name))
            default: isUsable = try settings.read(key, &reader, &json, name: name, consequence: consequence) && isUsable
            }
            return true
        }
        guard isObject, isUsable else { return nil }
        if settings.hasTTY { rule.tty = settings.tty }
        if settings.hasHID {
            guard let framing = settings.hid else {
                json.recordProblem(name + ".reportNumber", "requires a reportLength", consequence)
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
        json.recordProblem(name, "is not a number of up to four hexadecimal digits such as \"1209\"", consequence)
        return nil
    }
}
