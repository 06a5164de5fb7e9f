// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import UdevRecords

extension UdevRecord {
    /// Returns a property; nil if it is missing or empty.
    func property(_ name: String) -> String? {
        guard let text = properties[name], !text.isEmpty else { return nil }
        return text
    }

    /// Returns a sanitized attribute for display; nil if it is missing or empty.
    func displayAttribute(_ name: String) -> String? {
        Self.sanitized(attributes[name])
    }

    /// Returns a sanitized property for display; nil if it is missing or empty.
    func displayProperty(_ name: String) -> String? {
        Self.sanitized(properties[name])
    }

    /// Returns a property encoded by udev, such as "Test\x20Device", decoded and sanitized for display; nil if it is
    /// missing or empty.
    func displayEncodedProperty(_ name: String) -> String? {
        Self.sanitized(properties[name].map(Self.decoded))
    }

    private static func sanitized(_ text: String?) -> String? {
        guard let shown = text.map({ TerminalSanitizer.sanitized($0) }), !shown.isEmpty else { return nil }
        return shown
    }

    /// Reads a hexadecimal number of up to four digits from an attribute, or from a property if the attribute is
    /// missing or invalid.
    func number(attribute: String, property: String) -> UInt16? {
        for text in [attributes[attribute], properties[property]] {
            if let text, let number: UInt16 = HexDigit.number(text, atMost: 4) { return number }
        }
        return nil
    }

    /// Decodes the escape sequences of udev, such as "\x20".
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let bytes = Array(text.utf8.prefix(4 * TerminalSanitizer.maximumLength))
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes.count - index >= 4, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "x"),
                let high = HexDigit.value(bytes[index + 2]), let low = HexDigit.value(bytes[index + 3])
            {
                result.append(high << 4 | low)
                index += 4
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
