// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Text of other machines and makers, fit for a terminal.
package enum Printable {
    /// The text with each control character, such as the start of a terminal's commands, replaced by a dot.
    package static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isControl(scalar) ? "." : scalar) }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// The bytes as text when they are UTF-8 without control characters other than tab, line feed and carriage return;
    /// nil otherwise. What can be read as text in a trace follows the same rule.
    package static func plain(_ bytes: some Sequence<UInt8>) -> String? {
        let bytes = Array(bytes)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [9, 10, 13].contains($0) }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Four digits, as vendors and products of USB are written.
    package static func hex(_ number: UInt16) -> String { hex([UInt8(number >> 8), UInt8(number & 0xFF)]) }

    /// Two digits a byte.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}

extension CivilDate {
    /// `2026-11-21T03:05:09.000Z`: milliseconds, and more digits where they are not zero.
    package var timestamp: String {
        var (fraction, decimals) = (nanosecond, 9)
        while decimals > 3, fraction % 10 == 0 { (fraction, decimals) = (fraction / 10, decimals - 1) }
        return iso8601(decimals: decimals)
    }

    /// `2026-11-21`
    package var date: String { String(iso8601(decimals: 0).prefix(10)) }

    /// `03:05:09`
    package var timeOfDay: String { String(iso8601(decimals: 0).dropFirst(11).dropLast()) }

    /// `03:05:09.1`
    package var timeOfDayWithTenths: String { "\(timeOfDay).\(nanosecond / 100_000_000)" }
}

extension SensorKind {
    /// With an article, for sentences.
    package var nameWithArticle: String { "aeiou".contains(name.prefix(1)) ? "an \(name)" : "a \(name)" }
}
