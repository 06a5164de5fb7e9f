// SPDX-License-Identifier: Apache-2.0

/// Times as years and their fractions, the way that magnetic models count them.
///
/// The fraction is the part of the calendar year that has passed, in UTC without leap seconds: 2027-01-01T00:00:00Z is
/// 2027.0, and noon of 2 July 2027 is 2027.5. A year of 366 days goes slower. The calendar is the Gregorian one, also
/// before it was introduced.
package enum DecimalYear {
    /// The decimal year of an instant.
    ///
    /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z, negative before. NaN for what is not finite or some
    ///   ninety million years away.
    package static func at(secondsSince1970 seconds: Double) -> Double {
        guard abs(seconds) < 3e15 else { return .nan }
        let days = (seconds / 86_400).rounded(.down)
        let year = yearOf(day: Int64(days))
        let dayOfYear = days - Double(startOf(year: year))
        return Double(year) + (dayOfYear + (seconds - days * 86_400) / 86_400) / Double(length(of: year))
    }

    /// The decimal year of a day in UTC; nil when the calendar has no such day.
    ///
    /// - Parameter seconds: seconds since the day began; negative and large ones lead into other days.
    package static func at(year: Int, month: Int, day: Int, seconds: Double = 0) -> Double? {
        guard (-10_000_000...10_000_000).contains(year), (1...12).contains(month) else { return nil }
        let year = Int64(year)
        let lengths: [Int] = [31, length(of: year) == 366 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[month - 1] else { return nil }
        let days = startOf(year: year) + Int64(lengths[..<(month - 1)].reduce(0, +) + day - 1)
        return at(secondsSince1970: Double(days) * 86_400 + seconds)
    }

    /// Days from 1970-01-01 to the first day of the year.
    private static func startOf(year: Int64) -> Int64 {
        // Leap days up to the end of the year before; shifting is a division that rounds down.
        let past = year - 1
        return year * 365 + (past >> 2) - dividedDown(past, by: 100) + dividedDown(past, by: 400) - 719_527
    }

    private static func length(of year: Int64) -> Int64 {
        startOf(year: year + 1) - startOf(year: year)
    }

    /// The year in which that many days after 1970-01-01 lie.
    private static func yearOf(day: Int64) -> Int64 {
        // 400 years have 146,097 days. The guess is off by one at most.
        let guess = 1970 + dividedDown(day * 400, by: 146_097)
        if startOf(year: guess) > day { return guess - 1 }
        return startOf(year: guess + 1) <= day ? guess + 1 : guess
    }

    private static func dividedDown(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}
