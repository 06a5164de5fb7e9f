// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@Suite("Times and durations as text")
struct TimeTextTests {
    @Test(
        "A duration is a number of seconds, a number with a unit, or minutes or hours with colons",
        arguments: [
            ("90", 90), ("1.5", 1.5), ("1e3", 1000), ("90s", 90), ("300ms", 0.3), ("2m", 120), ("2min", 120),
            ("1.5h", 5400),
            ("1:30", 90), ("0:00.5", 0.5), ("100:00", 6000), ("1:02:03.5", 3723.5), ("10:15:00", 36_900),
        ])
    func durations(text: String, seconds: Double) throws {
        #expect(abs(try #require(TimeText.seconds(text)) - seconds) < 1e-9)
    }

    @Test(
        "Other text is not a duration",
        arguments: [
            "", "s", "1d", "-1", "+1", ".5", "nan", "inf", "0x10", "1:60", "1:2:60", "1:2:3:4", ":30", "1:", "1:30s",
            "1 s",
            "2026-11-27",
        ])
    func notDurations(text: String) { #expect(TimeText.seconds(text) == nil) }

    @Test("A date may have a time of day and an offset from UTC")
    func dates() throws {
        // date -d 2026-11-27T10:00:00Z +%s
        let ten = WallTime(nanoseconds: 1_795_773_600_000_000_000)
        for text in ["2026-11-27T10:00:00Z", "2026-11-27T10:00", "2026-11-27 10:00:00", "2026-11-27T11:30:00+01:30"] {
            #expect(TimeText.date(text) == ten, "\(text)")
        }
        #expect(TimeText.date("2026-11-27") == ten.advanced(bySeconds: -36_000))
        for text in ["10:15:00", "2026-13-01", "2026-11-27T", "1795773600"] {
            #expect(TimeText.date(text) == nil, "\(text)")
        }
    }
}
