// SPDX-License-Identifier: Apache-2.0

package enum HexDigit {
    /// Returns the value of a hexadecimal digit in uppercase or lowercase, or nil for any other character.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the hexadecimal digit for the low four bits of the value. Letters are lowercase.
    package static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Returns two hexadecimal digits for each byte, with lowercase letters.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Decodes pairs of hexadecimal digits. Stops at the first character that is not a hexadecimal digit. Ignores an
    /// unpaired last digit.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            guard let value = value(character) else { break }
            if let former = high {
                bytes.append(former << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// Returns four hexadecimal digits with lowercase letters, the usual notation for USB vendor and product IDs.
    package static func fourDigits(_ value: UInt16) -> String {
        text([UInt8(value >> 8), UInt8(truncatingIfNeeded: value)])
    }

    /// Parses 1 to `count` hexadecimal digits. Returns nil for any other text, or if the value does not fit in
    /// `Number`.
    package static func number<Number: FixedWidthInteger>(_ text: some StringProtocol, atMost count: Int) -> Number? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count <= count, digits.allSatisfy({ value($0) != nil }) else { return nil }
        return Number(text, radix: 16)
    }
}
