// SPDX-License-Identifier: Apache-2.0

/// The components of a civil time in UTC, in the proleptic Gregorian calendar and without leap seconds.
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day, 1 to 31.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let nanosecond: Int32

    package init(_ time: WallTime) {
        var days = time.nanoseconds / 86_400_000_000_000
        var rest = time.nanoseconds % 86_400_000_000_000
        if rest < 0 {
            rest += 86_400_000_000_000
            days -= 1
        }
        (year, month, day) = Self.date(daysSince1970: Int(days))
        let seconds = Int(rest / 1_000_000_000)
        hour = seconds / 3600
        minute = seconds / 60 % 60
        second = seconds % 60
        nanosecond = Int32(rest % 1_000_000_000)
    }

    /// Returns nil if a component is out of range or `WallTime` cannot represent the year. A leap second (60) counts as
    /// the first second of the next minute, as in the system clock.
    package static func time(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int32 = 0
    ) -> WallTime? {
        guard (1600...2300).contains(year), (1...12).contains(month), day >= 1, day <= days(ofMonth: month, year),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second),
            (0..<1_000_000_000).contains(nanosecond)
        else { return nil }
        let seconds = Int64(daysSince1970(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(Int64(nanosecond))
        return overflow || carry ? nil : WallTime(nanoseconds: sum)
    }

    package static func days(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 1, 3, 5, 7, 8, 10, 12: 31
        default: 30
        }
    }

    // In these calculations, each year begins on March 1, so that a leap day is the last day of its year. Month lengths
    // then repeat every five months (153 days). The year number is increased by 400, a full calendar cycle, to make all
    // dividends positive.

    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = (month > 2 ? year : year - 1) + 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let beforeYear = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400
        // 1970-01-01 is day 865565, counted from March 1 of the shifted year 0: 2369 * 365 + 592 - 23 + 5 + 306.
        return beforeYear + (153 * marchMonth + 2) / 5 + day - 1 - 865_565
    }

    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let count = days + 865_565
        let (cycle, dayOfCycle) = count.quotientAndRemainder(dividingBy: 146_097)
        // In a cycle of 400 years, every fourth year ends with a leap day, except the 100th, 200th and 300th years.
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let marchYear = cycle * 400 + yearOfCycle - 400
        return (month > 2 ? marchYear : marchYear + 1, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension CivilDate {
    /// Appends the time in ISO 8601 format, truncated to `decimals` (0 to 9), such as `2021-06-16T23:46:05.800Z`.
    package func appendISO8601(decimals: Int, to bytes: inout [UInt8]) {
        func put(_ part: Int, _ digits: Int, _ end: Unicode.Scalar) {
            Self.append(part, digits: digits, to: &bytes)
            bytes.append(UInt8(ascii: end))
        }
        put(year, 4, "-")
        put(month, 2, "-")
        put(day, 2, "T")
        put(hour, 2, ":")
        put(minute, 2, ":")
        Self.append(second, digits: 2, to: &bytes)
        if decimals > 0 {
            bytes.append(UInt8(ascii: "."))
            var fraction = Int(nanosecond)
            for _ in min(decimals, 9)..<9 { fraction /= 10 }
            Self.append(fraction, digits: min(decimals, 9), to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    package func iso8601(decimals: Int) -> String {
        var bytes: [UInt8] = []
        appendISO8601(decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the last `digits` digits of a number, padded with leading zeros.
    package static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<max(digits, 1) { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: abs(value) / divisor % 10))
            divisor /= 10
        }
    }
}
