// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Civil time in UTC as text: `2026-11-21T03:39:16.708334Z`.
enum CivilTime {
    private static let daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

    /// Nanoseconds since 1970 of a whole text; nil when it is no such time or out of range. The date and the time may
    /// be separated by a blank, and the Z may be missing. The leap second :60 is the first second of the next minute.
    static func parse(_ text: UnsafeRawBufferPointer) -> Int64? {
        var at = 0
        guard let year = number(text, &at, digits: 4), skip("-", text, &at),
            let month = number(text, &at, digits: 2), skip("-", text, &at),
            let day = number(text, &at, digits: 2), skip("T", text, &at) || skip(" ", text, &at),
            let hour = number(text, &at, digits: 2), skip(":", text, &at),
            let minute = number(text, &at, digits: 2), skip(":", text, &at),
            let second = number(text, &at, digits: 2),
            (1...12).contains(month), day >= 1, day <= length(month, year), hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if skip(".", text, &at) {
            let first = at
            var unit: Int64 = 100_000_000
            while let digit = number(text, &at, digits: 1) {
                fraction += Int64(digit) * unit
                unit /= 10
            }
            guard at > first else { return nil }
        }
        _ = skip("Z", text, &at)
        guard at == text.count else { return nil }
        let time = Int64(days(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        let (scaled, overflow) = time.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(fraction)
        return overflow || carry ? nil : sum
    }

    /// The text of a time, with all nine decimals.
    static func text(_ nanoseconds: Int64) -> String {
        var day = nanoseconds / 86_400_000_000_000
        var rest = nanoseconds % 86_400_000_000_000
        if rest < 0 {
            rest += 86_400_000_000_000
            day -= 1
        }
        // A guess that is at most a year too early or too late.
        var year = 1970 + Int((Double(day) / 365.2425).rounded(.down))
        while Int64(days(year, 1, 1)) > day { year -= 1 }
        while Int64(days(year + 1, 1, 1)) <= day { year += 1 }
        var month = 12
        while Int64(days(year, month, 1)) > day { month -= 1 }
        let (seconds, fraction) = rest.quotientAndRemainder(dividingBy: 1_000_000_000)
        var bytes: [UInt8] = []
        func append(_ value: Int64, _ digits: Int, _ mark: Unicode.Scalar) {
            TraceSeconds.appendDigits(UInt64(max(value, 0)), minimum: digits, to: &bytes)
            bytes.append(UInt8(ascii: mark))
        }
        append(Int64(year), 4, "-")
        append(Int64(month), 2, "-")
        append(day - Int64(days(year, month, 1)) + 1, 2, "T")
        append(seconds / 3600, 2, ":")
        append(seconds / 60 % 60, 2, ":")
        append(seconds % 60, 2, ".")
        append(fraction, 9, "Z")
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01, Gregorian throughout.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Leap days before the year; the year 0 has one, hence the one more.
        let past = year - 1
        let leapDays = year > 0 ? past / 4 - past / 100 + past / 400 + 1 : 0
        // 719,528 days lie between 0000-01-01 and 1970-01-01.
        let inYear = daysBeforeMonth[month - 1] + (month > 2 && isLeap(year) ? 1 : 0) + day - 1
        return year * 365 + leapDays + inYear - 719_528
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ at: inout Int, digits: Int) -> Int? {
        guard text.count - at >= digits else { return nil }
        var value = 0
        for index in at..<at + digits {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int(digit)
        }
        at += digits
        return value
    }

    private static func skip(_ mark: Unicode.Scalar, _ text: UnsafeRawBufferPointer, _ at: inout Int) -> Bool {
        guard at < text.count, text[at] == UInt8(ascii: mark) else { return false }
        at += 1
        return true
    }
}
