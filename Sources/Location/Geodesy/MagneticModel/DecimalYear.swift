// SPDX-License-Identifier: Apache-2.0

/// Decimal years, as used by magnetic models. The fraction is the elapsed part of the calendar year in UTC without leap
/// seconds: noon on 2 July 2027 is 2027.5. The calendar is the proleptic Gregorian calendar.
package enum DecimalYear {
    /// Returns the decimal year of a time in seconds since 1970-01-01T00:00:00Z, or NaN if it is out of range.
    package static func at(secondsSince1970 seconds: Double) -> Double {
        guard abs(seconds) < 3e15 else { return .nan }
        let days = (seconds / 86_400).rounded(.down)
        let year = yearOf(day: Int64(days))
        let dayOfYear = days - Double(startOf(year: year))
        return Double(year) + (dayOfYear + (seconds - days * 86_400) / 86_400) / Double(length(of: year))
    }

    /// Returns the decimal year of a UTC date and a number of seconds since midnight. Returns nil if the calendar has
    /// no such date. `seconds` may be negative or more than a day.
    package static func at(year: Int, month: Int, day: Int, seconds: Double = 0) -> Double? {
        guard (-10_000_000...10_000_000).contains(year), (1...12).contains(month) else { return nil }
        let year = Int64(year)
        let lengths: [Int] = [31, length(of: year) == 366 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[month - 1] else { return nil }
        let days = startOf(year: year) + Int64(lengths[..<(month - 1)].reduce(0, +) + day - 1)
        return at(secondsSince1970: Double(days) * 86_400 + seconds)
    }

    /// Returns the number of days from 1970-01-01 to the first day of a year.
    private static func startOf(year: Int64) -> Int64 {
        // Counts the leap days up to the end of the previous year. The right shift divides by 4 and rounds down.
        let past = year - 1
        return year * 365 + (past >> 2) - floorDivided(past, by: 100) + floorDivided(past, by: 400) - 719_527
    }

    private static func length(of year: Int64) -> Int64 { startOf(year: year + 1) - startOf(year: year) }

    private static func yearOf(day: Int64) -> Int64 {
        // The estimate assumes 146,097 days in 400 years, and is off by at most one year.
        let estimate = 1970 + floorDivided(day * 400, by: 146_097)
        if startOf(year: estimate) > day { return estimate - 1 }
        return startOf(year: estimate + 1) <= day ? estimate + 1 : estimate
    }

    private static func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}
