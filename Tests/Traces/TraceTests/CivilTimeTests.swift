// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Civil time")
struct CivilTimeTests {
    /// Seconds from Python: `(datetime(...) - datetime(1970, 1, 1)).total_seconds()`.
    static let known: [(String, Int64)] = [
        ("1700-02-28T23:59:59", -8_515_238_401), ("1900-03-01T00:00:00", -2_203_891_200), ("1969-12-31T23:59:59", -1),
        ("1970-01-01T00:00:00", 0), ("2000-02-29T12:00:00", 951_825_600), ("2026-11-21T03:39:22", 1_795_232_362),
        ("2100-03-01T00:00:00", 4_107_542_400), ("2261-12-31T00:00:00", 9_214_560_000),
    ]

    @Test("Dates agree with Python in both directions", arguments: known)
    func dates(text: String, seconds: Int64) {
        #expect(parse(text) == seconds * 1_000_000_000)
        #expect(parse(text + "Z") == seconds * 1_000_000_000)
        #expect(parse(text + ".000000001Z") == seconds * 1_000_000_000 + 1)
        let date = CivilDate(WallTime(nanoseconds: seconds * 1_000_000_000 + 1))
        #expect(date.iso8601(decimals: 9) == text + ".000000001Z")
    }

    @Test("Every day of five centuries is written and parsed as the same day")
    func everyDay() {
        // Noon of each day from 1700 to 2199.
        var day: Int64 = -98_615
        while day < 84_000 {
            let time = day * 86_400_000_000_000 + 43_200_000_000_000
            #expect(parse(CivilDate(WallTime(nanoseconds: time)).iso8601(decimals: 9)) == time)
            day += 1
        }
    }

    @Test(
        "Invalid times are rejected",
        arguments: [
            "", "2026", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+01:00", "2026-01-01X00:00:00Z",
            "9999-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    private func parse(_ text: String) -> Int64? {
        [UInt8](text.utf8).withUnsafeBytes { CivilTime.parse($0) }
    }
}
