// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

@Suite("Decimal years")
struct DecimalYearTests {
    @Test(
        "A time is converted to its year plus the elapsed fraction of the year",
        arguments: [
            (0, 1970), (1_735_689_600, 2025), (1_893_456_000, 2030),
            // 2027-07-02T12:00 is 182.5 of 365 days, and 2028-07-02T00:00 is 183 of 366 days.
            (1_814_529_600, 2027.5), (1_846_108_800, 2028.5),
            // 1 March is day 59 of 1900 and 2100, which are not leap years, and day 60 of 2000, counted from 0.
            (-2_203_891_200, 1900 + 59.0 / 365), (951_868_800, 2000 + 60.0 / 366),
            (4_107_542_400, 2100 + 59.0 / 365),
            (-0.5, 1969 + (364 + 86_399.5 / 86_400) / 365),
            (-62_167_219_200, 0), (-62_198_755_200, -1),
        ] as [(Double, Double)])
    func instants(seconds: Double, year: Double) {
        #expect(abs(DecimalYear.at(secondsSince1970: seconds) - year) < 1e-12 * max(1, abs(year)))
    }

    @Test("A date is converted to the time at which it begins, as in Foundation")
    func days() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: -50_000, through: 100_000, by: 37) {
            let seconds = Double(day) * 86_400
            let parts = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: seconds))
            let (year, month) = (try #require(parts.year), try #require(parts.month))
            let found = DecimalYear.at(year: year, month: month, day: try #require(parts.day))
            #expect(found == DecimalYear.at(secondsSince1970: seconds))
            #expect(found.map { Int($0.rounded(.down)) } == year)
        }
    }

    @Test("Invalid dates yield nil")
    func noDays() {
        for (year, month, day) in [
            (2025, 0, 1), (2025, 13, 1), (2025, 1, 0), (2025, 1, 32), (2025, 2, 29), (2024, 2, 30), (2100, 2, 29),
            (2025, 4, 31), (Int.max, 1, 1), (Int.min, 1, 1), (2025, Int.max, Int.max),
        ] {
            #expect(DecimalYear.at(year: year, month: month, day: day) == nil)
        }
        #expect(DecimalYear.at(year: 2024, month: 2, day: 29) == 2024 + 59.0 / 366)
        #expect(DecimalYear.at(year: 2000, month: 2, day: 29) != nil)
    }

    @Test("The seconds of a day may extend into another year")
    func secondsOfDay() {
        #expect(DecimalYear.at(year: 2027, month: 7, day: 2, seconds: 43_200) == 2027.5)
        // 31 December 23:00 in a time zone five hours behind UTC is 1 January 04:00 UTC.
        let later: Double = 2028 + 4.0 / 24 / 366
        let earlier: Double = 2027 + 364.5 / 365
        #expect(DecimalYear.at(year: 2027, month: 12, day: 31, seconds: 100_800) == later)
        #expect(DecimalYear.at(year: 2028, month: 1, day: 1, seconds: -43_200) == earlier)
    }

    @Test("Invalid times yield NaN")
    func hostileInput() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 3e15] {
            #expect(DecimalYear.at(secondsSince1970: seconds).isNaN)
        }
        #expect(DecimalYear.at(secondsSince1970: 2.9e15).isFinite)
        #expect(DecimalYear.at(secondsSince1970: -2.9e15).isFinite)
    }
}
