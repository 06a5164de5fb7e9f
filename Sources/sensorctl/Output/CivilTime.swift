// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// An instant as a date and a time of day in UTC.
struct CivilTime {
    let year: Int64
    let month: Int64
    let day: Int64
    let hour: Int64
    let minute: Int64
    let second: Int64
    let nanosecond: Int64

    init(_ time: WallTime) {
        let (days, rest) = time.nanoseconds.dividedDown(by: 86_400_000_000_000)
        // Days are counted from 1 March of the year 0, so that a leap day is the last of its year; an era of 400 years
        // has 146,097 days. 1970-01-01 is day 719,468 of that count.
        let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
        // Years of the era: leap days are taken out, of which every 4 years add one, 100 take it back, 400 add it again.
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // Months from March have 31, 30, 31, 30, 31 days, over and over: 153 days in five.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        hour = rest / 3_600_000_000_000
        minute = rest / 60_000_000_000 % 60
        second = rest / 1_000_000_000 % 60
        nanosecond = rest % 1_000_000_000
    }

    /// `2026-11-21T03:05:09.000Z`: milliseconds, and more digits where they are not zero.
    var timestamp: String {
        var (fraction, digits) = (nanosecond, 9)
        while digits > 3, fraction % 10 == 0 { (fraction, digits) = (fraction / 10, digits - 1) }
        return "\(date)T\(timeOfDay).\(fraction.padded(digits))Z"
    }

    /// `2026-11-21`
    var date: String { "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))" }

    /// `03:05:09`
    var timeOfDay: String { "\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))" }

    /// `03:05:09.1`
    var timeOfDayWithTenths: String { "\(timeOfDay).\(nanosecond / 100_000_000)" }
}

extension Int64 {
    /// The quotient rounded down, and the remainder, which is never negative.
    fileprivate func dividedDown(by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The number with leading zeros.
    fileprivate func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}
