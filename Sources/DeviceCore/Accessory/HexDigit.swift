// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal digits.
enum HexDigit {
    /// What a digit stands for; nil for another character.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Four digits, as vendors and products of USB are written.
    static func four(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    /// A number of one to that many digits and nothing else.
    static func number<Number: FixedWidthInteger>(_ text: some StringProtocol, atMost count: Int) -> Number? {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count <= count, digits.allSatisfy({ value($0) != nil }) else { return nil }
        return Number(text, radix: 16)
    }
}
