// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import SensorTools

@Suite("Civil dates")
struct CivilDateTests {
    @Test(
        "Timestamps have milliseconds, and more digits if needed",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.000000001Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"), (951_782_400_120_000_000, "2000-02-29T00:00:00.120Z"),
            (4_107_542_399_999_500_000, "2100-02-28T23:59:59.9995Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func timestamps(nanoseconds: Int64, text: String) {
        #expect(CivilDate(WallTime(nanoseconds: nanoseconds)).timestamp == text)
    }

    @Test("Dates from 1678 to 2262 match Foundation's calendar")
    func days() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // A stride of 41 days visits every date of the year, including leap days.
        for day in stride(from: -106_750, through: 106_750, by: 41) {
            let time = CivilDate(WallTime(nanoseconds: Int64(day) * 86_400_000_000_000 + 45_296_000_000_000))
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            #expect(time.year == parts.year)
            #expect(time.month == parts.month)
            #expect(time.day == parts.day)
            #expect(time.timeOfDay == "12:34:56")
        }
    }
}
