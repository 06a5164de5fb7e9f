// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Times of faults")
struct FaultTimeTests {
    private static func sparse() throws -> TraceFile {
        try makeTrace(
            [
                #"{"t":0,"gpsd":\#(tpvLine(50, 8, second: 0))}"#, #"{"t":0,"gyroscope":[1,2,3]}"#,
                #"{"t":100,"gyroscope":[1,2,3]}"#,
            ], sensors: FaultTests.sensors)
    }

    /// Returns the times and kinds of the loss and recovery events.
    private static func losses(_ faults: String, _ trace: TraceFile) throws -> [String] {
        var reading = TimedEventReader(try FaultTests.apply(faults, to: trace))
        var lines: [String] = []
        var last: Int64 = 0
        while let event = reading.next() {
            let time = try #require(event.time)
            #expect(time >= last)
            last = time
            let seconds = Double(time) / 1e9
            switch event.contents {
            case .lost: lines.append("\(seconds) gpsd lost")
            case .regained: lines.append("\(seconds) gpsd back")
            case .sensorLost(_, let sensor): lines.append("\(seconds) \(sensor) lost")
            case .sensorRegained(let sensor): lines.append("\(seconds) \(sensor) back")
            default: break
            }
        }
        #expect(reading.warningCount == 0)
        return lines
    }

    @Test("Faults occur in time order, regardless of the order of the list and of other events")
    func order() throws {
        let expected = ["20.0 gyroscope lost", "21.0 gyroscope back", "50.0 gpsd lost", "51.0 gpsd back"]
        let trace = try Self.sparse()
        #expect(try Self.losses("loss(gpsd)@50s+1s,loss(gyroscope)@20s+1s", trace) == expected)
        #expect(try Self.losses("loss(gyroscope)@20s+1s,loss(gpsd)@50s+1s", trace) == expected)
    }

    @Test("A loss that ends before the next one begins leaves that one unchanged")
    func severalLosses() throws {
        let expected = ["10.0 gpsd lost", "15.0 gpsd back", "20.0 gpsd lost", "21.0 gpsd back"]
        #expect(try Self.losses("loss@20s+1s,loss@10s+5s", try Self.sparse()) == expected)
    }

    @Test("Overlapping losses become one that ends with the last, and adjacent losses stay separate")
    func overlaps() throws {
        let trace = try Self.sparse()
        #expect(try Self.losses("loss@10s+10s,loss@12s+2s", trace) == ["10.0 gpsd lost", "20.0 gpsd back"])
        #expect(
            try Self.losses("loss@15s+5s,loss@10s+5s", trace)
                == ["10.0 gpsd lost", "15.0 gpsd back", "15.0 gpsd lost", "20.0 gpsd back"])
    }

    @Test("A loss that is longer than the trace does not end in it")
    func longLoss() throws {
        #expect(try Self.losses("loss@90s+60s", try Self.sparse()) == ["90.0 gpsd lost"])
    }

    @Test("A second edit appends its faults to those recorded in the header")
    func notes() throws {
        let once = try FaultTests.apply("drop=0.5", seed: 3, to: try Self.sparse())
        let twice = try FaultTests.apply("nofix@5.0s+1.0s", seed: 4, to: once)
        let thrice = try FaultTests.apply("stuck", seed: 5, to: twice)
        func recordedFaults(_ trace: TraceFile) throws -> String {
            let members = try #require(trace.header).otherMembers.filter { $0.name == "faults" }
            #expect(members.count == 1)
            return String(decoding: try #require(members.first).json, as: UTF8.self)
        }
        #expect(
            try recordedFaults(twice) == #"[{"seed":"3","list":"drop=0.5"},{"seed":"4","list":"nofix@5.0s+1.0s"}]"#)
        #expect(
            try recordedFaults(thrice)
                == #"[{"seed":"3","list":"drop=0.5"},{"seed":"4","list":"nofix@5.0s+1.0s"},{"seed":"5","list":"stuck"}]"#
        )
    }

    @Test("A clock step changes only the times in reports")
    func clockStep() throws {
        let pps =
            #"{"class":"PPS","device":"/dev/ttyACM0","real_sec":1714557600,"real_nsec":0,"clock_sec":1714557600,"clock_nsec":7}"#
        let trace = try makeTrace([
            #"{"t":0,"gpsd":\#(tpvLine(50, 8, second: 7, more: #","ecefx":3.5e6,"jam":12,"new":{"a":[1]}"#))}"#,
            #"{"t":1,"gpsd":\#(pps)}"#,
        ])
        let lines = try FaultTests.apply("clockstep=-2s", to: trace).eventLines
        #expect(
            lines[0]
                == #"{"t":0.0,"gpsd":\#(tpvLine(50, 8, second: 5, more: #","ecefx":3.5e6,"jam":12,"new":{"a":[1]}"#))}"#
        )
        // The system clock is unchanged.
        #expect(
            lines[1] == #"{"t":1.0,"gpsd":\#(pps.replacing("real_sec\":1714557600", with: "real_sec\":1714557598"))}"#)
    }

    @Test("NMEA sentences are removed if a fault changes the fix or the time, and kept otherwise")
    func sentences() throws {
        let trace = try makeTrace([
            #"{"t":0,"gpsd":\#(tpvLine(50, 8))}"#,
            ##"{"t":9,"gpsdText":"$GPGGA,100000.00,5000.0000,N,00800.0000,E,1,08,1.0,100.0,M,47.0,M,,*6C"}"##,
        ])
        func count(_ faults: String) throws -> Int {
            var reading = TimedEventReader(try FaultTests.apply(faults, to: trace))
            var count = 0
            while let event = reading.next() { if case .gpsdText = event.contents { count += 1 } }
            return count
        }
        #expect(try count("drop=0(gpsd)") == 1)
        #expect(try count("nofix@5s+1s") == 0)
        #expect(try count("clockstep=1s") == 0)
    }
}
