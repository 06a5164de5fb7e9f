// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing

@Suite("Times in gpsd reports")
struct TimeTests {
    private func time(_ json: String) -> Int64? {
        GPSDDecoder.decode("{\"class\":\"TPV\",\"time\":\(json),\"mode\":3}").position?.time?.nanoseconds
    }

    @Test(
        "ISO 8601 times and seconds since 1970 are decoded to the nanosecond",
        arguments: [
            // The expected seconds are from GNU date: `date -u -d 2021-06-16T23:46:05Z +%s`, for example.
            ("\"2021-06-16T23:46:05.800Z\"", 1_623_887_165_800_000_000),
            ("\"2021-06-16T23:46:05Z\"", 1_623_887_165_000_000_000),
            ("\"2021-06-16T23:46:05.1Z\"", 1_623_887_165_100_000_000),
            ("\"2021-06-16T23:46:05.123456789Z\"", 1_623_887_165_123_456_789),
            ("\"2021-06-16T23:46:05.12345678999Z\"", 1_623_887_165_123_456_789),
            ("\"1970-01-01T00:00:00.000Z\"", 0), ("\"1969-12-31T23:59:59.250Z\"", -750_000_000),
            ("\"2000-02-29T12:00:00Z\"", 951_825_600_000_000_000),
            ("\"1900-03-01T00:00:00Z\"", -2_203_891_200_000_000_000),
            ("\"2261-12-31T23:59:59Z\"", 9_214_646_399_000_000_000),
            ("\"1678-01-01T00:00:00Z\"", -9_214_560_000_000_000_000),
            // A leap second is the first second of the next day, as in POSIX time.
            ("\"2016-12-31T23:59:60.500Z\"", 1_483_228_800_500_000_000),
            ("1119180490.123", 1_119_180_490_123_000_000), ("1119180490", 1_119_180_490_000_000_000),
            ("1623887165.800000123", 1_623_887_165_800_000_123), ("0", 0), ("-1.5", -1_500_000_000),
            ("1.5e9", 1_500_000_000_000_000_000),
        ]
    )
    func readsTimes(json: String, nanoseconds: Int64) {
        #expect(time(json) == nanoseconds)
    }

    @Test(
        "An invalid time is decoded as nil and does not affect the other members",
        arguments: [
            "\"\"", "\"Z\"", "\"2021-06-16\"", "\"2021-06-16T23:46:05.800\"", "\"2021-06-16 23:46:05.800Z\"",
            "\"2021-06-16T23:46:05.Z\"", "\"2021-06-16T23:46:05,8Z\"", "\"2021-06-16T23:46:05.8x0Z\"",
            "\"2021-13-16T23:46:05Z\"", "\"2021-00-16T23:46:05Z\"", "\"2021-06-31T23:46:05Z\"",
            "\"2021-02-29T23:46:05Z\"", "\"1900-02-29T00:00:00Z\"", "\"2021-06-00T23:46:05Z\"",
            "\"2021-06-16T24:00:00Z\"", "\"2021-06-16T23:60:05Z\"", "\"2021-06-16T23:46:61Z\"",
            "\"-021-06-16T23:46:05Z\"", "\"2300-06-16T23:46:05Z\"", "\"1600-06-16T23:46:05Z\"",
            "\"9999-12-31T23:59:60.999Z\"", "\"0000-01-01T00:00:00Z\"", "\"12021-06-16T23:46:05Z\"",
            "\"2021-06-16T23:46:05+00:00\"", "\"2\\u003021-06-16T23:46:05Z\"",
            "\"\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}Z\"",
            "null", "nan", "NaN", "true", "[1]", "{}", "1e30", "-1e30", "99999999999", "12345678901234567890",
        ]
    )
    func rejectsOthers(json: String) throws {
        let report = try #require(GPSDDecoder.decode("{\"class\":\"TPV\",\"time\":\(json),\"mode\":3}").position)
        #expect(report.time == nil)
        #expect(report.mode == .threeDimensional)
    }
}
