// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// One field of a sentence, read by its bytes: no locale, no exponent, no sign of the thousands.
struct NMEAField {
    let bytes: UnsafeRawBufferPointer

    var isEmpty: Bool { bytes.isEmpty }

    /// Its first character in capitals; 0 when it is empty.
    var letter: UInt8 {
        guard let first = bytes.first else { return 0 }
        return first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z") ? first & 0xdf : first
    }

    /// True when it is that text.
    func equals(_ text: StaticString) -> Bool { text.withUTF8Buffer { $0.elementsEqual(bytes) } }

    /// A number; NaN when there is none, or one beyond 1e15.
    var number: Double {
        var digits = DecimalDigits()
        return digits.read(bytes) ? digits.value : .nan
    }

    /// A number that is not negative; NaN for others.
    var positive: Double {
        let value = number
        return value >= 0 ? value : .nan
    }

    /// A whole number without a sign, of at most nine digits; nil for anything else.
    var count: Int? {
        var digits = DecimalDigits()
        return bytes.count <= 9 && digits.readWhole(bytes) ? Int(digits.mantissa) : nil
    }

    /// One hexadecimal digit; nil for anything else.
    var hexadecimalDigit: Int? { bytes.count == 1 ? HexDigit.value(bytes[0]).map { Int($0) } : nil }
}

/// The digits of a number.
struct DecimalDigits {
    /// All digits that fit, without the point.
    private(set) var mantissa: UInt64 = 0
    /// How many of them stand behind the point.
    private(set) var decimals = 0
    private(set) var isNegative = false

    /// Reads a whole text; false when it is no number, or too large.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        let end = bytes.count
        if at < end, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
            isNegative = bytes[at] == UInt8(ascii: "-")
            at &+= 1
        }
        var hasDigits = false
        var isBehindPoint = false
        while at < end {
            let digit = bytes[at] &- UInt8(ascii: "0")
            if digit <= 9 {
                hasDigits = true
                // Below this another digit fits; digits behind the point that do not are cut off, and so are those behind
                // more noughts than there are powers of ten.
                if mantissa < 100_000_000_000_000_000, decimals < Self.powers.count - 1 {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    if isBehindPoint { decimals &+= 1 }
                } else if !isBehindPoint {
                    return false
                }
            } else if bytes[at] == UInt8(ascii: "."), !isBehindPoint {
                isBehindPoint = true
            } else {
                return false
            }
            at &+= 1
        }
        return hasDigits && value.magnitude <= 1e15
    }

    /// Reads digits and nothing else; false for other text, and for more than seventeen digits.
    mutating func readWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty, bytes.count <= 17 else { return false }
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return false }
            mantissa = mantissa &* 10 &+ UInt64(digit)
        }
        return true
    }

    /// The nearest Double, for up to fifteen digits.
    var value: Double {
        let value = Double(mantissa) / Self.powers[decimals]
        return isNegative ? -value : value
    }

    /// Ten to the power of each count of decimals that there can be.
    static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]
}
