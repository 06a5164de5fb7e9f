// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Numbers of attributes, read and written without a locale.
enum AttributeNumber {
    /// The number in those bytes, the fast way for whole numbers; NaN when it is none.
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

    /// The number as drivers take it: whole numbers without decimals, others with at most six.
    static func text(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "0" }
        let millionths = Int64((abs(number) * 1e6).rounded())
        let whole = "\(number < 0 && millionths > 0 ? "-" : "")\(millionths / 1_000_000)"
        var rest = millionths % 1_000_000
        guard rest > 0 else { return whole }
        var width = 6
        while rest % 10 == 0 {
            rest /= 10
            width -= 1
        }
        let digits = "\(rest)"
        return "\(whole).\(String(repeating: "0", count: max(0, width - digits.utf8.count)))\(digits)"
    }
}
