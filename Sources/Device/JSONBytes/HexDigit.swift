// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal digits, and bytes written in them.
package enum HexDigit {
    /// What a digit stands for; nil for another character.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The digit, in lower case, for the low four bits.
    package static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Two digits for each byte, in lower case.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes, up to what is no pair of digits.
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

    /// Four digits, as vendors and products of USB are written.
    package static func four(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// A number of one to that many digits and nothing else.
    package static func number<Number: FixedWidthInteger>(_ text: some StringProtocol, atMost count: Int) -> Number? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count <= count, digits.allSatisfy({ value($0) != nil }) else { return nil }
        return Number(text, radix: 16)
    }
}
