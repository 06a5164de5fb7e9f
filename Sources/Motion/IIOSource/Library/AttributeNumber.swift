// SPDX-License-Identifier: Apache-2.0

import IIOFormat

enum AttributeNumber {
    /// Parses a number independently of the locale. Returns NaN if the bytes are not a number.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Double {
        var index = 0
        var isNegative = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") {
            isNegative = true
            index += 1
        }
        var value: Int64 = 0
        var digits = 0
        while index < bytes.count, digits < 18, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
            value = value &* 10 &+ Int64(digit)
            digits += 1
            index += 1
        }
        if digits > 0, index == bytes.count || [0x0A, 0, 0x20].contains(bytes[index]) {
            return Double(isNegative ? -value : value)
        }
        return IIONumber.double(String(decoding: bytes, as: UTF8.self)) ?? .nan
    }

    /// Formats a number with up to six decimals, independently of the locale.
    static func text(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "0" }
        let millionths = Int64((abs(number) * 1e6).rounded())
        let integerPart = "\(number < 0 && millionths > 0 ? "-" : "")\(millionths / 1_000_000)"
        var rest = millionths % 1_000_000
        guard rest > 0 else { return integerPart }
        var width = 6
        while rest % 10 == 0 {
            rest /= 10
            width -= 1
        }
        let digits = "\(rest)"
        return "\(integerPart).\(String(repeating: "0", count: max(0, width - digits.utf8.count)))\(digits)"
    }
}
