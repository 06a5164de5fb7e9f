// SPDX-License-Identifier: Apache-2.0

/// Parses numbers from sysfs and libiio, independently of the locale.
package enum IIONumber {
    package static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while let first = rest.unicodeScalars.first, isWhitespaceOrControl(first) { rest.unicodeScalars.removeFirst() }
        while let last = rest.unicodeScalars.last, isWhitespaceOrControl(last) { rest.unicodeScalars.removeLast() }
        return rest
    }

    /// Parses a finite number, ignoring leading and trailing whitespace. Decimal commas, units, "nan" and hexadecimal
    /// numbers are invalid.
    package static func double(_ text: some StringProtocol) -> Double? {
        let trimmed = trimmed(String(text.prefix(limit + 1)))
        guard !trimmed.isEmpty, trimmed.utf8.count <= limit, trimmed.utf8.allSatisfy(isPartOfNumber) else { return nil }
        guard let number = Double(trimmed), number.isFinite else { return nil }
        return number
    }

    /// The maximum length of a number, in bytes. Numbers from drivers are shorter.
    private static let limit = 64

    static func isWhitespaceOrControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 || scalar.value == 0x7F }

    package static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool { isDigit(byte) || "+-.eE".utf8.contains(byte) }
}
