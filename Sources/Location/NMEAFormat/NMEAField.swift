// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A field of a sentence. Numbers consist of ASCII digits, regardless of locale, without exponents or thousands
/// separators.
struct NMEAField {
    let bytes: UnsafeRawBufferPointer

    var isEmpty: Bool { bytes.isEmpty }

    /// The first byte, in upper case if it is a letter, or 0 if the field is empty.
    var firstLetter: UInt8 {
        guard let first = bytes.first else { return 0 }
        return first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z") ? first & 0xdf : first
    }

    func equals(_ text: StaticString) -> Bool { text.withUTF8Buffer { $0.elementsEqual(bytes) } }

    /// The field as a number, or NaN if the field is not a number or its magnitude exceeds 1e15.
    var number: Double {
        var digits = ParsedDecimal()
        return digits.read(bytes) ? digits.value : .nan
    }

    /// The field as a nonnegative number, or NaN if it is not one.
    var nonnegativeNumber: Double {
        let value = number
        return value >= 0 ? value : .nan
    }

    /// The field as an unsigned integer of up to nine digits, or nil if it is not one.
    var unsignedInteger: Int? {
        var digits = ParsedDecimal()
        return bytes.count <= 9 && digits.readInteger(bytes) ? Int(digits.mantissa) : nil
    }

    /// The field as a single hexadecimal digit, or nil if it is not one.
    var hexadecimalDigit: Int? { bytes.count == 1 ? HexDigit.value(bytes[0]).map { Int($0) } : nil }
}

/// The decimal digits of a number. Use a new instance for each number, because reading a number appends its digits.
struct ParsedDecimal {
    /// The digits as an integer, ignoring the decimal point. Decimals that do not fit are dropped.
    private(set) var mantissa: UInt64 = 0
    /// The number of digits in `mantissa` that follow the decimal point.
    private(set) var decimals = 0
    private(set) var isNegative = false

    /// Parses a number. Returns false if the text is not a number, or if the number is too large.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        let end = bytes.count
        if offset < end, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            offset &+= 1
        }
        var hasDigits = false
        var isBehindPoint = false
        while offset < end {
            let digit = bytes[offset] &- UInt8(ascii: "0")
            if digit <= 9 {
                hasDigits = true
                // Below this limit, there is room for one more digit. At or above the limit, another digit after the
                // decimal point is dropped, and another digit before it makes the number invalid (above 1e15).
                if mantissa < 100_000_000_000_000_000, decimals < Self.powers.count - 1 {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    if isBehindPoint { decimals &+= 1 }
                } else if !isBehindPoint {
                    return false
                }
            } else if bytes[offset] == UInt8(ascii: "."), !isBehindPoint {
                isBehindPoint = true
            } else {
                return false
            }
            offset &+= 1
        }
        return hasDigits && value.magnitude <= 1e15
    }

    /// Parses an unsigned integer of up to 17 digits. Returns false for any other text.
    mutating func readInteger(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty, bytes.count <= 17 else { return false }
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return false }
            mantissa = mantissa &* 10 &+ UInt64(digit)
        }
        return true
    }

    /// The parsed number. If it has at most 15 digits, this is the nearest `Double`.
    var value: Double {
        let value = Double(mantissa) / Self.powers[decimals]
        return isNegative ? -value : value
    }

    static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]
}
