// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Trace

@Suite("Decimal seconds")
struct TraceSecondsTests {
    @Test(
        "Decimal seconds are converted to nanoseconds exactly",
        arguments: [
            ("0", 0), ("12.000000123", 12_000_000_123), ("0.1", 100_000_000),
            ("1795232362.754231", 1_795_232_362_754_231_000),
            ("9223372036.854775807", Int64.max), ("-0.5", -500_000_000), ("1.2345678919999", 1_234_567_891),
            ("1.5e3", 1_500_000_000_000), ("12e-06", 12_000), ("1.2E-05", 12_000), ("5e-10", 0),
            ("1E+0", 1_000_000_000),
            ("00000000000012.5", 12_500_000_000), ("123456789.123456789e0", 123_456_789_123_456_789),
        ] as [(String, Int64)])
    func exact(text: String, nanoseconds: Int64) {
        #expect(parse(text) == nanoseconds)
    }

    @Test(
        "Invalid and too large numbers are rejected",
        arguments: [
            "", "-", ".5", "1.", "1e", "1e+", "x", "1x", "9223372036.854775808", "99999999999", "1e300",
            "1e99999999999",
            "--1", "1.2.3", "nan", "0x10",
        ])
    func refused(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("Writing and parsing preserves every nanosecond")
    func roundTrip() {
        let values: [Int64] = [
            0, 1, 999_999_999, 1_000_000_000, 12_000_000_123, -1, .max, .min + 1, 86_400_000_000_001,
        ]
        for value in values {
            var bytes: [UInt8] = []
            TraceSeconds.append(value, to: &bytes)
            #expect(parse(String(decoding: bytes, as: UTF8.self)) == value)
        }
        var bytes: [UInt8] = []
        TraceSeconds.append(12_000_000_123, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "12.000000123")
    }

    private func parse(_ text: String) -> Int64? {
        [UInt8](text.utf8).withUnsafeBytes { TraceSeconds.parse($0) }
    }
}
