// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension WallTime {
    /// Parses gpsd's format, `2021-06-16T23:46:05.800Z`, with any number of decimal places. Digits beyond nanoseconds
    /// are dropped. A leap second (:60) is treated as the first second of the next minute, as the system clock does.
    /// Returns nil if the format differs or the time is out of range.
    package init?(iso8601 text: UnsafeRawBufferPointer) {
        guard text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
        else { return nil }
        let year = Self.twoDigits(text, 0) * 100 + Self.twoDigits(text, 2)
        let month = Self.twoDigits(text, 5)
        let day = Self.twoDigits(text, 8)
        let hour = Self.twoDigits(text, 11)
        let minute = Self.twoDigits(text, 14)
        let second = Self.twoDigits(text, 17)
        guard let nanoseconds = Self.decimals(text[19..<text.count - 1]),
            let time = CivilDate.time(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                nanosecond: Int32(truncatingIfNeeded: nanoseconds))
        else { return nil }
        self = time
    }

    /// Parses a JSON number of seconds since 1970. The number is converted to `Double` only if necessary, because
    /// `Double` resolves present-day times only to about 0.2 µs.
    init?(decimal text: UnsafeRawBufferPointer) {
        var index = 0
        var seconds: Int64 = 0
        // Reads at most 11 digits, so that `seconds` cannot overflow.
        while index < text.count, index < 11, let digit = Self.digit(text[index]) {
            seconds = seconds * 10 + Int64(digit)
            index += 1
        }
        if index > 0, let nanoseconds = Self.decimals(text[index...]) {
            self.init(seconds: seconds, nanoseconds: nanoseconds)
        } else {
            // The number is negative, is very long or has an exponent.
            guard let seconds = Double(Substring(String(decoding: text, as: UTF8.self))), abs(seconds) < 9.2e9 else {
                return nil
            }
            self.init(seconds: seconds)
        }
    }

    private init?(seconds: Int64, nanoseconds: Int64) {
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(nanoseconds)
        guard !overflow, !carry else { return nil }
        self.init(nanoseconds: sum)
    }

    /// Returns the nanoseconds in a fraction such as `.8`, 0 for empty text, or nil for any other text.
    private static func decimals(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard text.startIndex < text.endIndex else { return 0 }
        let bytes = text.base
        guard bytes[text.startIndex] == UInt8(ascii: "."), text.count > 1 else { return nil }
        var value: Int64 = 0
        var unit: Int64 = 100_000_000
        for index in text.startIndex + 1..<text.endIndex {
            guard let digit = digit(bytes[index]) else { return nil }
            value += Int64(digit) * unit
            unit /= 10
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- UInt8(ascii: "0")
        return digit <= 9 ? digit : nil
    }

    /// Returns a two-digit number. If either character is not a digit, returns a number that makes the time invalid.
    private static func twoDigits(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int {
        guard let tens = digit(text[index]), let ones = digit(text[index + 1]) else { return -1_000_000 }
        return Int(tens) * 10 + Int(ones)
    }
}
