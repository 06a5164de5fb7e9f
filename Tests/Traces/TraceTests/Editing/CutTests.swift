// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Cutting traces")
struct CutTests {
    static let sensors = #"{"id":"gyroscope","kind":"gyroscope"}"#
    static let attach = #""attach":{"id":"1","name":"Scale","port":"1-2","protocols":["com.example.a"]}"#

    @Test("A cut keeps its events, begins at time zero and adjusts the start on both clocks")
    func part() throws {
        let trace = try makeTrace(
            [
                #"{"t":0,"gyroscope":[1.0,0.0,0.0]}"#, #"{"t":1,"gyroscope":[2.0,0.0,0.0],"stamp":0.9}"#,
                #"{"t":2,"gyroscope":[3.0,0.0,0.0]}"#, #"{"t":3,"gyroscope":[4.0,0.0,0.0]}"#,
            ], sensors: Self.sensors, start: "2024-05-01T10:00:00.000000000Z")
        let part = try TraceEditor.trace(trace, edits: [ExcerptEdit(from: .seconds(1), to: .seconds(2))], named: "part")
        #expect(
            part.eventLines == [
                #"{"t":0.0,"gyroscope":[2.0,0.0,0.0],"stamp":-0.1}"#, #"{"t":1.0,"gyroscope":[3.0,0.0,0.0]}"#,
            ])
        #expect(
            part.header?.start?.wallTime.nanoseconds == (trace.header?.start?.wallTime.nanoseconds ?? 0) + 1_000_000_000
        )
        #expect(part.header?.start?.boot.nanoseconds == 101_000_000_000)
        #expect(part.header?.sensors.map(\.id) == ["gyroscope"])
    }

    @Test("State from before the cut is repeated at time zero if it still applies")
    func state() throws {
        let trace = try makeTrace(
            [
                #"{"t":0,"gpsd":{"class":"VERSION","release":"3.22"}}"#,
                #"{"t":0,"gpsd":{"class":"DEVICES","devices":[{"path":"/dev/a"}]}}"#,
                #"{"t":0.1,"gpsd":{"class":"DEVICE","path":"/dev/a","driver":"u-blox"}}"#,
                #"{"t":0.2,"battery":{"level":0.5,"state":"unplugged"}}"#, "{\"t\":0.3,\(Self.attach)}",
                #"{"t":0.4,"open":"com.example.a","accessory":"1"}"#,
                #"{"t":0.5,"lost":{"code":"silent","message":"Nothing."}}"#, #"{"t":0.6,"regained":true}"#,
                #"{"t":0.7,"lost":{"code":"silent","message":"Still."},"sensor":"gyroscope"}"#,
                #"{"t":2,"gyroscope":[3.0,0.0,0.0]}"#,
            ], sensors: Self.sensors)
        let part = try TraceEditor.trace(trace, edits: [ExcerptEdit(from: .seconds(1))], named: "part")
        let lines = part.eventLines
        #expect(lines.count == 8)
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix(#"{"t":0.0,"#) })
        for word in ["battery", "VERSION", "DEVICES", "u-blox", "Still.", "attach", "open"] {
            #expect(lines.contains { $0.contains(word) }, "\(word)")
        }
        #expect(!lines.contains { $0.contains("Nothing.") })
        #expect(lines.last == #"{"t":1.0,"gyroscope":[3.0,0.0,0.0]}"#)
    }

    @Test("Reports without arrival times are cut by the receiver's time")
    func receiverTime() throws {
        let text = (0..<10).map { tpvLine(50, 8, second: $0) + "\n" }.joined()
        let trace = try TraceFile(bytes: [UInt8](text.utf8), name: "log")
        let part = try TraceEditor.trace(trace, edits: [ExcerptEdit(from: .seconds(3), to: .seconds(5))], named: "part")
        #expect(part.positions.count == 3)
        #expect(part.eventLines.map { $0.prefix(8) } == [#"{"t":0.0"#, #"{"t":1.0"#, #"{"t":2.0"#])
        #expect(part.header?.start?.wallTime == part.positions.first?.time)
    }

    @Test("A cut that ends before it begins is rejected")
    func reversed() throws {
        let trace = try makeTrace([])
        #expect(throws: DeviceError.self) {
            try TraceEditor.trace(trace, edits: [ExcerptEdit(from: .seconds(2), to: .seconds(1))], named: "part")
        }
    }
}
