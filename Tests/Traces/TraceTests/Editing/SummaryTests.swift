// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Trace summaries")
struct SummaryTests {
    @Test("Damaged reports and impossible numbers are counted, with the line of the first one")
    func damage() throws {
        let trace = try makeTrace([
            #"{"t":1,"gpsd":\#(tpvLine(50, 8, second: 0, more: #","eph":4.0"#))}"#,
            #"{"t":2,"gpsd":{"class":"TPV","mode":3,"lat":50.0.0,"lon":8}}"#,
            #"{"t":3,"gpsd":\#(tpvLine(50, 8, second: 1, more: #","eph":0,"speed":1e300"#))}"#,
            #"{"t":4,"gpsd":{"class":"TPV","mode":tru}}"#,
        ])
        let remarks = [
            #"a report is damaged and was ignored (2 times; first in line 3: "gpsd report, byte 34: the line is not valid JSON")."#,
            "a number is impossible and was treated as unknown (2 times; first in line 4).",
        ]
        #expect(TraceSummary(trace).remarks == remarks)
        #expect(ReportDiagnostics(trace).remarks == remarks)
        #expect(ReportDiagnostics(try makeTrace([])).remarks.isEmpty)
    }

    @Test("Streams have their counts, rates and gaps")
    func streams() throws {
        var lines = (0..<101).map { #"{"t":\#(Double($0) / 100),"gyroscope":[1.0,2.0,3.0]}"# }
        lines.append(#"{"t":5,"gyroscope":[1.0,2.0,3.0]}"#)
        lines.append(#"{"t":5,"gpsd":\#(tpvLine(50, 8, second: 0, more: #","eph":4.0,"altMSL":90.0"#))}"#)
        lines.append(#"{"t":6,"gpsd":\#(tpvLine(50.001, 8, second: 1, more: #","eph":6.0,"altHAE":140"#))}"#)
        lines.append(#"{"t":7,"gpsd":{"class":"TPV","device":"/dev/ttyACM0","mode":1}}"#)
        lines.append("broken")
        let summary = TraceSummary(try makeTrace(lines, sensors: #"{"id":"gyroscope","kind":"gyroscope"}"#))
        #expect(summary.count == 105)
        #expect(summary.duration == 7_000_000_000)
        #expect(summary.warningCount == 1)
        let gyroscope = try #require(summary.streams.first)
        #expect(gyroscope.kind == "gyroscope" && gyroscope.origin == "gyroscope" && gyroscope.count == 102)
        #expect(gyroscope.interval == 10_000_000 && gyroscope.rate == 100)
        #expect(gyroscope.gapCount == 1 && gyroscope.longestInterval == 4_000_000_000)
        #expect(gyroscope.longestStart == 1_000_000_000)
        let positions = try #require(summary.positions)
        #expect(positions.count == 3 && positions.fixCount == 2 && positions.threeDimensionalCount == 2)
        #expect(positions.medianError == 6)
        #expect(positions.south == 50 && positions.north == 50.001 && positions.west == 8 && positions.east == 8)
        // 0.001 degrees along the meridian at 50 degrees of latitude are 111.2 m.
        #expect(abs(positions.distance - 111.23) < 0.05)
        #expect(summary.clocks.map(\.time) == [5_000_000_000, 6_000_000_000])
        #expect(summary.clockDrift == nil)
    }

    @Test("Regular intervals of decades are not gaps")
    func longIntervals() throws {
        // Five intervals of 95 years exceed Int64.max nanoseconds, which is 292 years.
        let lines = (0..<3).map { #"{"t":\#($0 * 3_000_000_000),"gyroscope":[1.0,2.0,3.0]}"# }
        let summary = TraceSummary(try makeTrace(lines, sensors: #"{"id":"gyroscope","kind":"gyroscope"}"#))
        #expect(summary.streams.map(\.longestInterval) == [3_000_000_000_000_000_000])
        #expect(summary.streams.map(\.gapCount) == [0])
    }

    @Test(
        "The area of a track across the 180th meridian is the smaller one",
        arguments: [
            ([179.99, -179.99], 179.99, -179.99), ([-179.99, 179.99, 179.98], 179.98, -179.99),
            ([179, 180, -179.5], 179, -179.5),
            ([-10, 10, -20], -20, 10), ([0, 120, -120, 0, 10], -180, 180),
        ] as [([Double], Double, Double)])
    func area(longitudes: [Double], west: Double, east: Double) throws {
        let lines = longitudes.enumerated().map { #"{"t":\#($0),"gpsd":\#(tpvLine(1, $1, second: $0))}"# }
        let positions = try #require(TraceSummary(try makeTrace(lines)).positions)
        #expect(positions.west == west && positions.east == east)
    }

    @Test("The drift between the machine's and the receiver's clock is reported in parts per million")
    func drift() throws {
        let trace = try makeTrace(
            [
                #"{"t":0,"gpsd":\#(tpvLine(50, 8, second: 0))}"#,
                #"{"t":120.0012,"gpsd":{"class":"TPV","mode":1,"time":"2024-05-01T10:02:00.000Z"}}"#,
            ], start: "2024-05-01T10:00:00.000000000Z")
        // The header in this test names no clock.
        var summary = TraceSummary(trace)
        summary.header.clock = "CLOCK_BOOTTIME"
        #expect(abs((summary.clockDrift ?? .nan) - 10) < 0.01)
    }

    @Test(
        "Receiver times centuries apart give a finite drift, and times that do not increase give none",
        arguments: [
            ("1700", "2200"), ("2200", "1700"), ("2024", "2024"),
        ])
    func farTimes(first: String, last: String) throws {
        let times = [(0, first), (100, last)]
        var summary = TraceSummary(
            try makeTrace(
                times.map {
                    #"{"t":\#($0.0),"gpsd":{"class":"TPV","mode":1,"time":"\#($0.1)-05-01T10:00:00.000Z"}}"#
                }, start: "2024-05-01T10:00:00.000000000Z"))
        summary.header.clock = "CLOCK_BOOTTIME"
        // 100 s on the machine's clock against 500 years: it is slow by almost 1e6 parts per million.
        let drift = summary.clockDrift
        #expect(first < last ? abs((drift ?? .nan) + 1e6) < 0.1 : drift == nil)
    }

    @Test("Thousands of streams use bounded memory")
    func hostile() throws {
        let lines = (0..<5000).map { #"{"t":0,"gpsd":{"class":"TPV","device":"/dev/\#($0)","mode":1}}"# }
        let summary = TraceSummary(try makeTrace(lines))
        #expect(summary.streams.count == TraceSummary.maximumStreams)
        #expect(summary.streams.map(\.count).reduce(0, +) == 5000)
    }
}
