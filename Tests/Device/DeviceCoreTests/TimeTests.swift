// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Points in time")
struct TimeTests {
    @Test("Seconds are rounded to the nearest nanosecond")
    func seconds() {
        #expect(WallTime(seconds: 1.5)?.nanoseconds == 1_500_000_000)
        #expect(WallTime(seconds: -0.000_000_001)?.nanoseconds == -1)
        #expect(WallTime(seconds: 0.000_000_000_4)?.nanoseconds == 0)
        #expect(BootTime.zero.advanced(bySeconds: 0.15).nanoseconds == 150_000_000)
    }

    @Test("A wall-clock time is printed as a date, with nine decimals if it is not a whole number of milliseconds")
    func description() {
        // date -u -d @1795774503.25 +%FT%T.%3NZ
        #expect(WallTime(nanoseconds: 1_795_774_503_250_000_000).description == "2026-11-27T10:15:03.250Z")
        #expect(WallTime(nanoseconds: 1_795_774_503_000_000_001).description == "2026-11-27T10:15:03.000000001Z")
        #expect(WallTime.epoch.description == "1970-01-01T00:00:00.000Z")
        #expect(WallTime(nanoseconds: -1_000_000).description == "1969-12-31T23:59:59.999Z")
        // 2^63 - 1 ns after the epoch: date -u -d @9223372036
        #expect(WallTime(nanoseconds: .max).description == "2262-04-11T23:47:16.854775807Z")
        #expect(WallTime(nanoseconds: .min).description == "1677-09-21T00:12:43.145224192Z")
    }

    @Test("A value that is not finite yields no time", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(seconds: Double) {
        #expect(WallTime(seconds: seconds) == nil)
    }

    @Test("A value out of range is clamped")
    func saturates() {
        #expect(WallTime(seconds: 1e300)?.nanoseconds == .max)
        #expect(WallTime(seconds: -1e300)?.nanoseconds == .min)
        // 9.3e9 s is 9.3e18 ns, above Int64.max of 9.223e18.
        #expect(WallTime(seconds: 9.3e9)?.nanoseconds == .max)
        #expect(WallTime(seconds: -9.3e9)?.nanoseconds == .min)
        #expect(WallTime(seconds: 9.1e9)?.nanoseconds == 9_100_000_000_000_000_000)
    }

    @Test("A duration converts to and from seconds, and its range is limited")
    func durations() {
        #expect([0, 0.01, 0.15, 1.0 / 60, 2.5, -3, 1e6].allSatisfy { Duration(clampingSeconds: $0).inSeconds == $0 })
        #expect(Duration(clampingSeconds: .nan) == .zero)
        #expect(Duration(clampingSeconds: 1e300) == Duration(clampingSeconds: .infinity))
        #expect(Duration(clampingSeconds: -1e300).inSeconds == -9.2e18)
    }

    @Test("Advancing a time saturates at the ends of the range")
    func advances() {
        let late = WallTime(nanoseconds: .max - 1)
        #expect(late.advanced(bySeconds: 1).nanoseconds == .max)
        #expect(WallTime(nanoseconds: .min + 1).advanced(bySeconds: -1).nanoseconds == .min)
        #expect(BootTime.never.advanced(bySeconds: 1) == .never)
        #expect(BootTime.zero.advanced(bySeconds: .infinity) == .never)
        #expect(BootTime.zero.advanced(bySeconds: -.infinity).nanoseconds == .min)
        #expect(BootTime.zero.advanced(bySeconds: .nan) == .zero)
        #expect(WallTime.epoch.advanced(bySeconds: .nan) == .epoch)
    }

    @Test("A difference saturates instead of overflowing")
    func differences() {
        let first = WallTime(nanoseconds: .min)
        let last = WallTime(nanoseconds: .max)
        // Int64.max nanoseconds are 9,223,372,036.85 s; the true difference is twice that.
        #expect(last.seconds(since: first) == 9_223_372_036.854_775_807)
        #expect(first.seconds(since: last) == -9_223_372_036.854_775_808)
        #expect(BootTime.never.seconds(since: BootTime(nanoseconds: -5)) == 9_223_372_036.854_775_807)
    }

    @Test("Times are ordered by their nanoseconds")
    func order() {
        #expect(WallTime(nanoseconds: -1) < .epoch)
        #expect(BootTime.zero < BootTime(nanoseconds: 1))
        #expect(BootTime(nanoseconds: .max - 1) < .never)
    }
}
