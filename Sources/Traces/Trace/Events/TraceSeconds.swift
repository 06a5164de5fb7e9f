// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Converts decimal seconds in text to integer nanoseconds and back. Does not use `Double`, which would lose digits.
package enum TraceSeconds {
    /// The maximum number of digits before the decimal point. Longer numbers have leading zeros or are out of range.
    private static let maximumSecondDigits = 10

    /// Parses the seconds at the offset, returns them in nanoseconds, and advances the offset past the number. Returns
    /// nil if there is no number, or if it is out of range. Digits after the ninth decimal are truncated.
    @inline(__always) static func scan(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) -> Int64? {
        var index = at
        let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
        if isNegative { index &+= 1 }
        let first = index
        var seconds: Int64 = 0
        while index < end, let digit = digit(bytes[index]) {
            guard index &- first < maximumSecondDigits else { return scanLong(bytes, &at, end: end) }
            seconds = seconds &* 10 &+ digit
            index &+= 1
        }
        guard index > first else { return nil }
        var fraction: Int64 = 0
        if index < end, bytes[index] == UInt8(ascii: ".") {
            index &+= 1
            if let nine = nineDigits(bytes, index, end: end) {
                fraction = nine
                index &+= 9
                while index < end, digit(bytes[index]) != nil { index &+= 1 }
            } else {
                let point = index
                var unit: Int64 = 100_000_000
                while index < end, let digit = digit(bytes[index]) {
                    fraction &+= digit &* unit
                    unit /= 10
                    index &+= 1
                }
                guard index > point else { return nil }
            }
        }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") { return scanLong(bytes, &at, end: end) }
        guard let total = total(seconds, fraction) else { return nil }
        at = index
        return isNegative ? -total : total
    }

    /// Parses a number of seconds and returns it in nanoseconds, or nil if the text is not a single number.
    static func parse(_ text: UnsafeRawBufferPointer) -> Int64? {
        var at = 0
        guard let value = scan(text, &at, end: text.count), at == text.count else { return nil }
        return value
    }

    /// Appends the time, in seconds with nine decimals.
    package static func append(_ nanoseconds: Int64, to bytes: inout [UInt8]) {
        if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
        let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        DecimalDigits.append(seconds, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        DecimalDigits.append(fraction, minimum: 9, to: &bytes)
    }

    /// Parses a number with an exponent or leading zeros. This module never writes such a number, but other programs
    /// may.
    @inline(never) private static func scanLong(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) -> Int64? {
        let parts = "+-.0123456789eE".utf8
        let length = UnsafeRawBufferPointer(rebasing: bytes[at..<end]).prefix { parts.contains($0) }.count
        let text = UnsafeRawBufferPointer(rebasing: bytes[at..<at + length])
        guard let value = DecimalNumber(text)?.scaled(byPowerOfTen: 9, isCut: true) else { return nil }
        at += length
        return value
    }

    /// Parses the nine decimals of a trace time. Returns nil if the next nine bytes are not all digits.
    @inline(__always) private static func nineDigits(_ bytes: UnsafeRawBufferPointer, _ at: Int, end: Int) -> Int64? {
        guard end &- at >= 9, let last = digit(bytes[at &+ 8]) else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let values = word ^ 0x3030_3030_3030_3030
        // Adding 0x76 sets the top bit of each byte with a value from 10 to 0x89. Bytes with greater values already
        // have their top bit set.
        guard (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Int64(truncatingIfNeeded: JSONReader.value(ofDigits: values)) &* 10 &+ last
    }

    @inline(__always) private static func digit(_ byte: UInt8) -> Int64? {
        let digit = byte &- UInt8(ascii: "0")
        return digit <= 9 ? Int64(digit) : nil
    }

    @inline(__always) private static func total(_ seconds: Int64, _ fraction: Int64) -> Int64? {
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(fraction)
        return overflow || carry ? nil : sum
    }
}
