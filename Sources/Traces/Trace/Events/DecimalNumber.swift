// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A decimal number parsed from text without an intermediate `Double`, which would lose digits.
///
/// Parsing does not depend on the locale, and thousands separators are rejected. The value refers to the parsed text's
/// buffer and must not outlive it.
package struct DecimalNumber {
    /// The maximum length of a number, in bytes.
    private static let maximumLength = 400
    private var isNegative = false
    /// The first 19 significant digits.
    private var mantissa: UInt64 = 0
    /// The exponent of the power of ten that multiplies the mantissa.
    private var exponent = 0
    /// True if a nonzero digit did not fit into the mantissa.
    private var isTruncated = false
    private let text: UnsafeRawBufferPointer
    /// The decimal separator.
    private let mark: UInt8

    /// Parses an optional sign, digits with at most one decimal separator, and an optional exponent.
    package init?(_ text: UnsafeRawBufferPointer, mark: UInt8 = UInt8(ascii: ".")) {
        guard text.count <= Self.maximumLength else { return nil }
        self.text = text
        self.mark = mark
        var at = 0
        if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
            isNegative = text[at] == UInt8(ascii: "-")
            at += 1
        }
        var digits = 0
        var isInFraction = false
        while at < text.count {
            let digit = text[at] &- UInt8(ascii: "0")
            if digit <= 9 {
                digits += 1
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa * 10 + UInt64(digit)
                    if isInFraction { exponent -= 1 }
                } else {
                    if digit != 0 { isTruncated = true }
                    if !isInFraction { exponent += 1 }
                }
            } else if text[at] == mark, !isInFraction {
                isInFraction = true
            } else {
                break
            }
            at += 1
        }
        guard digits > 0 else { return nil }
        if at < text.count {
            guard text[at] | 0x20 == UInt8(ascii: "e"), let power = Self.integer(text, from: at + 1) else { return nil }
            exponent += power
        }
    }

    /// The nearest `Double`, or NaN if the text cannot be converted.
    package var double: Double {
        if !isTruncated, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            // The mantissa and the power of ten are both exact in `Double`, so a single multiplication or division
            // gives the correctly rounded result.
            let value = Double(mantissa)
            let result = exponent < 0 ? value / JSONNumber.powers[0 - exponent] : value * JSONNumber.powers[exponent]
            return isNegative ? -result : result
        }
        if mark == UInt8(ascii: ".") { return Double(String(decoding: text, as: UTF8.self)) ?? .nan }
        let normalizedText = text.map { $0 == mark ? UInt8(ascii: ".") : $0 }
        return Double(String(decoding: normalizedText, as: UTF8.self)) ?? .nan
    }

    /// Multiplies the number by a power of ten. Returns the result as an integer, or nil if its magnitude exceeds
    /// `Int64.max`. If `isCut` is true, the fraction is truncated. Otherwise, the result is rounded to the nearest
    /// integer, with halves rounded away from zero. Only the first 19 significant digits are used.
    package func scaled(byPowerOfTen power: Int, isCut: Bool = false) -> Int64? {
        var value = mantissa
        var shift = exponent + power
        while shift > 0, value > 0 {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
            shift -= 1
        }
        if shift < -20 { value = 0 }
        while shift < -1, value > 0 {
            value /= 10
            shift += 1
        }
        if shift == -1 { value = value / 10 + (!isCut && value % 10 >= 5 ? 1 : 0) }
        guard let magnitude = Int64(exactly: value) else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    private static func integer(_ text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let sign = text[start...].first
        let digits = text[start...].dropFirst(sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }) else { return nil }
        // Clamps the exponent, so that adding another exponent to it cannot overflow.
        let value = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 100_000) }
        return sign == UInt8(ascii: "-") ? -value : value
    }

    /// True if the text contains a comma and would be a valid number if the comma were a decimal point, as in `1,5`.
    package static func hasComma(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count <= maximumLength, text.contains(UInt8(ascii: ",")) else { return false }
        let normalizedText = text.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        return normalizedText.withUnsafeBytes { DecimalNumber($0) != nil }
    }
}

extension Double {
    /// Parses a finite decimal number that begins with a digit. The standard initializer also accepts signs, "nan",
    /// "infinity" and hexadecimal numbers.
    package init?(unsignedDecimal text: some StringProtocol) {
        let number = [UInt8](text.utf8).withUnsafeBytes { bytes -> Double? in
            guard let first = bytes.first, first &- UInt8(ascii: "0") <= 9 else { return nil }
            return DecimalNumber(bytes)?.double
        }
        guard let number, number.isFinite else { return nil }
        self = number
    }
}
