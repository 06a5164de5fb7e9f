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
        return IIONumber.text(number, unit: 1_000_000)
    }
}
