// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

/// The prefixes were printed by gpspipe 3.22. `date -u -d @1795232362` prints 2026-11-21 03:39:22.
@Suite("Output of gpspipe")
struct GpspipeTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "Each format of the stamp is parsed as the arrival time",
        arguments: [
            ("-t", "2026-11-21 03:39:22", "2026-11-21 03:39:23", 1 * second),
            ("-u", "2026-11-21 03:39:22.708334", "2026-11-21 03:39:22.708422", 88_000),
            ("-uu", "2026-11-21 03:39:22 1795232362.754231", "2026-11-21 03:39:23 1795232363.055515", 301_284_000),
            ("-Z", "2026-11-21T03:39:22", "2026-11-21T03:40:22", 60 * second),
            ("-uZ", "2026-11-21T03:39:22.17636Z", "2026-11-21T03:39:22.17643Z", 70_000),
            ("-uuZ", "2026-11-21T03:39:22Z 1795232362.661011", "2026-11-21T03:39:22Z 1795232362.661058", 47_000),
            ("-T %s", "1795232362", "1795232400", 38 * second),
            ("-u -T %s", "1795232362.316182", "1795232362.316282", 100_000),
            ("-uu -T %s", "1795232362 1795232362.495968", "1795232362 1795232362.496020", 52_000),
        ] as [(String, String, String, Int64)])
    func stamps(options: String, first: String, second: String, difference: Int64) throws {
        let reading = try Reading("\(first): \(tpv)\r\n\(first): $GPGGA,1*00\r\n\(second): \(sky)\r\n")
        #expect(reading.file.hasArrivalTimes)
        #expect(reading.lines == [tpv, sky])
        #expect(reading.times == [0, difference])
        #expect(reading.cursor.skippedLines == 1)
        #expect(reading.warnings.isEmpty)
        let start = try #require(reading.file.start)
        #expect(start.nanoseconds / Self.second == 1_795_232_362)
    }

    @Test("Stamps in seconds and in civil time give the same time")
    func agree() throws {
        let words = try Reading("2026-11-21 03:39:22.754231: \(tpv)\n")
        let seconds = try Reading("2026-11-21 03:39:22 1795232362.754231: \(tpv)\n")
        #expect(words.file.start?.nanoseconds == 1_795_232_362_754_231_000)
        #expect(seconds.file.start == words.file.start)
    }

    @Test(
        "A report with an invalid stamp has no time", arguments: ["Sat Nov 21", "03:39", "20261121", "x"])
    func customStamp(stamp: String) throws {
        let reading = try Reading("\(stamp): \(tpv)\n\(stamp): \(sky)\n")
        #expect(!reading.file.hasArrivalTimes)
        #expect(reading.lines == [tpv, sky])
        #expect(reading.times == [nil, nil])
    }

    @Test("Stamps of a board whose clock is still in 1970 are accepted")
    func unsetClock() throws {
        let reading = try Reading("1970-01-01 00:00:12 12.754231: \(tpv)\n1970-01-01 00:00:13 13.754231: \(sky)\n")
        #expect(reading.times == [0, Self.second])
        #expect(reading.file.start?.nanoseconds == 12_754_231_000)
    }

    @Test("A decreasing or missing stamp is replaced by the time of the previous line")
    func disorder() throws {
        let text = """
            2026-11-21 03:39:22: \(tpv)
            2026-11-21 03:39:25: \(tpv)
            2026-11-21 03:39:20: \(tpv)
            \(sky)
            garbage: \(tpv)

            """
        let reading = try Reading(text)
        #expect(reading.times == [0, 3, 3, 3, 3].map { $0 * Self.second })
        #expect(reading.warnings.map(\.reason) == [.decreasingTime, .missingTime])
        #expect(reading.warnings.map(\.line) == [3, 5])
    }

    @Test("Text that contains a brace is not a report")
    func prose() throws {
        let reading = try Reading("\(tpv)\nsee also: {\"a\":1}\n0123abcd\n# {}\n!AIVDM,1\nx {\"class\":\"TPV\"}\n")
        #expect(reading.lines == [tpv])
        #expect(reading.cursor.skippedLines == 5)
    }
}
