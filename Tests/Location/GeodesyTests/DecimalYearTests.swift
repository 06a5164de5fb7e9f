// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

@Suite("Decimal years")
struct DecimalYearTests {
    @Test(
        "Instants have the fraction of their year that has passed",
        arguments: [
            (0, 1970), (1_735_689_600, 2025), (1_893_456_000, 2030),
            // Noon of 2 July 2027: 182.5 of 365 days. Midnight before 2 July 2028: 183 of 366.
            (1_814_529_600, 2027.5), (1_846_108_800, 2028.5),
            // 1900 and 2100 have no 29 February, 2000 has: 1 March is day 59, 59 and 60.
            (-2_203_891_200, 1900 + 59.0 / 365), (951_868_800, 2000 + 60.0 / 366),
            (4_107_542_400, 2100 + 59.0 / 365),
            (-0.5, 1969 + (364 + 86_399.5 / 86_400) / 365),
            (-62_167_219_200, 0), (-62_198_755_200, -1),
        ] as [(Double, Double)])
    func instants(seconds: Double, year: Double) {
        #expect(abs(DecimalYear.at(secondsSince1970: seconds) - year) < 1e-12 * max(1, abs(year)))
    }

    @Test("Days are the instants that they begin with, as Foundation has them")
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

    @Test("Days that are in no calendar are none")
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

    @Test("Seconds of a day may lead into another year")
    func secondsOfDay() {
        #expect(DecimalYear.at(year: 2027, month: 7, day: 2, seconds: 43_200) == 2027.5)
        // 23:00 on the last of December, five hours behind: 04:00 on the first of January.
        let later: Double = 2028 + 4.0 / 24 / 366
        let earlier: Double = 2027 + 364.5 / 365
        #expect(DecimalYear.at(year: 2027, month: 12, day: 31, seconds: 100_800) == later)
        #expect(DecimalYear.at(year: 2028, month: 1, day: 1, seconds: -43_200) == earlier)
    }

    @Test("What is no instant is no year")
    func hostileInput() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 3e15] {
            #expect(DecimalYear.at(secondsSince1970: seconds).isNaN)
        }
        #expect(DecimalYear.at(secondsSince1970: 2.9e15).isFinite)
        #expect(DecimalYear.at(secondsSince1970: -2.9e15).isFinite)
    }
}
