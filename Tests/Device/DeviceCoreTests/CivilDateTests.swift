// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import DeviceCore

@Suite("Civil dates")
struct CivilDateTests {
    @Test("Dates across six centuries match Foundation's calendar")
    func agreesWithFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        // 1678 to 2261, in steps of 97 days and 12,345 s.
        for count in 0..<2190 {
            let seconds = Int64(count) * (97 * 86_400 + 12_345) - 9_200_000_000
            let time = WallTime(nanoseconds: seconds * 1_000_000_000 + 123_456_789)
            let date = CivilDate(time)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(
                [date.year, date.month, date.day, date.hour, date.minute, date.second]
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second])
            #expect(date.nanosecond == 123_456_789)
            #expect(
                CivilDate.time(
                    year: date.year, month: date.month, day: date.day, hour: date.hour, minute: date.minute,
                    second: date.second, nanosecond: date.nanosecond) == time)
        }
    }

    @Test("Invalid dates are rejected, and a leap second is normalized to the next second")
    func rejectsInvalid() {
        #expect(CivilDate.time(year: 2023, month: 2, day: 29) == nil)
        #expect(CivilDate.time(year: 2024, month: 2, day: 29) != nil)
        #expect(CivilDate.time(year: 1900, month: 2, day: 29) == nil)
        #expect(CivilDate.time(year: 2024, month: 13, day: 1) == nil)
        #expect(CivilDate.time(year: 2024, month: 4, day: 31) == nil)
        #expect(CivilDate.time(year: 2299, month: 1, day: 1) == nil)
        #expect(
            CivilDate.time(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
                == CivilDate.time(year: 2017, month: 1, day: 1))
    }

    @Test("ISO 8601 text has the requested number of decimals")
    func text() {
        let date = CivilDate(WallTime(nanoseconds: 1_623_887_165_899_999_999))
        #expect(date.iso8601(decimals: 0) == "2021-06-16T23:46:05Z")
        #expect(date.iso8601(decimals: 3) == "2021-06-16T23:46:05.899Z")
        #expect(date.iso8601(decimals: 9) == "2021-06-16T23:46:05.899999999Z")
    }
}
