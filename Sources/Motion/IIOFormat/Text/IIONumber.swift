// SPDX-License-Identifier: Apache-2.0

/// Parses and formats numbers as in sysfs and libiio, independently of the locale.
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

    /// Formats a number without an exponent or trailing zeros, rounded to a multiple of `1 / unit`, with halves rounded
    /// away from zero. `unit` is a power of ten. The magnitude of `number * unit` must fit into `UInt64`.
    package static func text(_ number: Double, unit: UInt64) -> String {
        let (whole, rest) = UInt64((abs(number) * Double(unit)).rounded()).quotientAndRemainder(dividingBy: unit)
        // The sum has a leading 1, which preserves the leading zeros of the decimals.
        var decimals = "\(unit + rest)".dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        let sign = number < 0 && (whole > 0 || rest > 0) ? "-" : ""
        return "\(sign)\(whole)\(decimals.isEmpty ? "" : ".")\(decimals)"
    }

    /// The maximum length of a number, in bytes. Numbers from drivers are shorter.
    private static let limit = 64

    static func isWhitespaceOrControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 || scalar.value == 0x7F }

    package static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool { isDigit(byte) || "+-.eE".utf8.contains(byte) }
}
