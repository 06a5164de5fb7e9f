// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Merging traces")
struct MergeTests {
    private static func merged(
        _ traces: [TraceFile], _ alignment: TraceMerger.Alignment = .clock
    ) throws -> (TraceFile, [String]) {
        let builder = TraceBuilder(name: "merged")
        let remarks = try TraceMerger.write(traces, alignment: alignment, to: builder)
        return (try builder.file(), remarks)
    }

    @Test("Traces are aligned by their clocks")
    func clocks() throws {
        let late = try makeTrace(
            [#"{"t":0,"gyroscope":[1.0,0.0,0.0]}"#, #"{"t":1,"gyroscope":[2.0,0.0,0.0],"stamp":0.5}"#],
            sensors: #"{"id":"gyroscope","kind":"gyroscope"}"#, start: "2024-05-01T10:00:01.500000000Z")
        let early = try makeTrace(
            [#"{"t":0,"pressure":100.0}"#, #"{"t":2,"pressure":101.0}"#],
            sensors: #"{"id":"pressure","kind":"pressure"}"#, start: "2024-05-01T10:00:00.000000000Z")
        let (trace, remarks) = try Self.merged([late, early])
        #expect(
            trace.eventLines == [
                #"{"t":0.0,"pressure":100.0}"#, #"{"t":1.5,"gyroscope":[1.0,0.0,0.0]}"#, #"{"t":2.0,"pressure":101.0}"#,
                #"{"t":2.5,"gyroscope":[2.0,0.0,0.0],"stamp":2.0}"#,
            ])
        #expect(trace.header?.start?.wallTime == early.header?.start?.wallTime)
        #expect(remarks.isEmpty)
    }

    @Test("Sensors and accessories with equal names stay separate")
    func names() throws {
        let line = #"{"t":0,"gyroscope":[1.0,0.0,0.0]}"#
        let attach = #"{"t":1,"attach":{"id":"1","name":"Scale","port":"1-2","protocols":["com.example.a"]}}"#
        let one = try makeTrace([line, attach], sensors: #"{"id":"gyroscope","kind":"gyroscope","name":"a"}"#)
        let two = try makeTrace([line, attach], sensors: #"{"id":"gyroscope","kind":"gyroscope","name":"b"}"#)
        let (trace, remarks) = try Self.merged([one, two], .start)
        #expect(trace.header?.sensors.map(\.id) == ["gyroscope", "gyroscope-2"])
        #expect(trace.header?.sensors.map(\.name) == ["a", "b"])
        #expect(trace.eventLines.count == 4)
        #expect(trace.eventLines[1].contains("gyroscope-2"))
        #expect(trace.eventLines[3].contains(#""id":"1-2""#))
        #expect(remarks.count == 1)
    }

    @Test("Accessories stay separate if a merged trace is merged again")
    func accessoriesMergedAgain() throws {
        let one = try makeTrace([#"{"t":0,"attach":{"id":"1","name":"Scale","port":"1-2"}}"#])
        let both = try Self.merged([one, one], .start).0
        var reading = TimedEventReader(try Self.merged([both, one], .start).0)
        var ids: [String] = []
        while let event = reading.next() {
            if case .accessory(let accessory) = event.contents { ids.append(accessory.accessory) }
        }
        #expect(ids == ["1", "1-2-1", "1-2"])
    }

    @Test("A phone's accuracies at 68 % are converted to 95 % if merged with gpsd's, and kept otherwise")
    func errors() throws {
        func trace(_ device: String, isPhone: Bool) throws -> TraceFile {
            let units = isPhone ? #","units":{"eph":"m at 68%"}"# : ""
            let report = tpvLine(50, 8, more: #","epv":5.0,"eps":0.5,"eph":10.0"#).replacing(
                "/dev/ttyACM0", with: device)
            return try TraceFile(
                bytes: [UInt8](
                    #"{"format":"device-services-trace","version":1\#(units)}\#n{"t":0,"gpsd":\#(report)}\#n"#.utf8),
                name: "t")
        }
        let (phone, gpsd) = (try trace("phone", isPhone: true), try trace("gps", isPhone: false))
        for traces in [[phone, gpsd], [gpsd, phone]] {
            let (mixed, remarks) = try Self.merged(traces, .start)
            #expect(mixed.header?.hasPhoneAccuracies == false)
            // In the plane, 2.447747 standard deviations instead of 1.509592, a factor of 1.621463; along an axis,
            // 1.959964 instead of 0.994458, a factor of 1.970887.
            let received = try #require(mixed.positions.first { $0.receiver == "phone" })
            #expect(abs(received.horizontalError - 16.215) < 0.001)
            #expect(abs(received.verticalError - 9.854) < 0.001 && abs(received.speedError - 0.985) < 0.01)
            let other = try #require(mixed.positions.first { $0.receiver == "gps" })
            #expect(other.horizontalError == 10 && other.verticalError == 5 && other.speedError == 0.5)
            #expect(remarks.count { $0.contains("from 68 % to 95 % confidence") } == 1)
        }
        let (phones, remarks) = try Self.merged([phone, try trace("other", isPhone: true)], .start)
        #expect(phones.header?.hasPhoneAccuracies == true && remarks.isEmpty)
        #expect(phones.positions.map(\.horizontalError) == [10, 10])
    }

    @Test("A trace without a start time cannot be aligned by clock")
    func noClock() throws {
        let one = try makeTrace([], start: "2024-05-01T10:00:00.000000000Z")
        let two = try makeTrace([], name: "other")
        let error = #expect(throws: DeviceError.self) { try Self.merged([one, two]) }
        #expect(error?.message.contains("other") == true)
        #expect(throws: DeviceError.self) { try Self.merged([]) }
    }

    private static func receivers(_ trace: TraceFile) -> [String] {
        trace.positions.map { "\($0.receiver) \(Int($0.latitude))" }
    }

    /// Returns a trace with one position a second from a receiver; without a receiver if the path is empty.
    private static func positions(
        _ latitude: Double, path: String, from: Int = 0, count: Int = 2, name: String = "t", more: [String] = []
    ) throws -> TraceFile {
        let device = path.isEmpty ? "" : #""device":"\#(path)","#
        let lines = (from..<from + count).map { second in
            #"{"t":\#(second),"gpsd":{"class":"TPV",\#(device)"mode":2,"lat":\#(latitude),"lon":8}}"#
        }
        return try makeTrace(lines + more, start: "2024-05-01T10:00:00.000000000Z", name: name)
    }

    @Test("Simultaneous receivers with equal paths are renamed in every report that names them")
    func receivers() throws {
        let more = [
            #"{"t":1,"gpsd":{"class":"SKY","device":"/dev/a","hdop":1}}"#,
            #"{"t":1,"gpsd":{"class":"DEVICES","devices":[{"path":"/dev/a","driver":"u-blox"},{"path":"/dev/c"}]}}"#,
            #"{"t":1,"gpsd":{"class":"DEVICE","path":"/dev/a","note":{"device":"/dev/a"}}}"#,
        ]
        let (trace, remarks) = try Self.merged([
            try Self.positions(1, path: "/dev/a", name: "one"),
            try Self.positions(2, path: "/dev/a", name: "two", more: more),
        ])
        #expect(Self.receivers(trace) == ["/dev/a 1", "/dev/a-2 2", "/dev/a 1", "/dev/a-2 2"])
        let lines = trace.eventLines.suffix(3).map { $0.dropFirst(#"{"t":1.0,"gpsd":"#.count).dropLast() }
        #expect(
            lines == [
                #"{"class":"SKY","device":"/dev/a-2","hdop":1}"#,
                #"{"class":"DEVICES","devices":[{"path":"/dev/a-2","driver":"u-blox"},{"path":"/dev/c"}]}"#,
                #"{"class":"DEVICE","path":"/dev/a-2","note":{"device":"/dev/a"}}"#,
            ])
        #expect(
            remarks == ["The receiver /dev/a of two was renamed to /dev/a-2, because another receiver is named /dev/a."]
        )
    }

    @Test("Receivers without a name get one if merged with others, including those of the first trace")
    func nameless() throws {
        let (trace, remarks) = try Self.merged([
            try Self.positions(1, path: "", name: "one.gpx"), try Self.positions(2, path: "", name: "two.gpx"),
            try Self.positions(3, path: "/dev/a"),
        ])
        #expect(Self.receivers(trace).prefix(3) == ["receiver-1 1", "receiver-2 2", "/dev/a 3"])
        #expect(Set(Self.receivers(trace)).count == 3)
        #expect(remarks.count == 2 && remarks[1].contains("two.gpx"))
    }

    @Test("Receivers beyond the maximum keep their names, and a remark reports them")
    func manyReceivers() throws {
        let lines = (0...MergeInputSummary.maximumReceivers).map { number in
            #"{"t":\#(number),"gpsd":{"class":"TPV","device":"/dev/\#(number)","mode":2,"lat":1,"lon":8}}"#
        }
        for (count, isReceived) in [(lines.count - 1, false), (lines.count, true)] {
            let many = try makeTrace(Array(lines.prefix(count)), name: "many")
            #expect(try Self.merged([many], .start).1.isEmpty)
            let last = try makeTrace([try #require(lines.last)], name: "other")
            let (trace, remarks) = try Self.merged([many, last], .start)
            let names = trace.positions.map(\.receiver)
            // Receivers beyond the maximum are not compared, so the second trace keeps the name too.
            #expect(Set(names) == Set((0...MergeInputSummary.maximumReceivers).map { "/dev/\($0)" }))
            #expect(names.count == count + 1)
            #expect(remarks.count == (isReceived ? 1 : 0))
            #expect(remarks.allSatisfy { $0.contains("many has more than 256 receivers") })
        }
    }

    @Test("Consecutive parts of one drive keep their receiver")
    func parts() throws {
        for path in ["/dev/a", ""] {
            let (trace, remarks) = try Self.merged([
                try Self.positions(2, path: path, from: 2), try Self.positions(1, path: path),
            ])
            #expect(Self.receivers(trace) == ["\(path) 1", "\(path) 1", "\(path) 2", "\(path) 2"])
            #expect(remarks == [])
        }
    }

    @Test("The first trace's battery is kept, and remarks report omitted batteries and ambiguous losses")
    func battery() throws {
        let event = [
            #"{"t":1,"battery":{"level":0.25,"state":"unplugged"}}"#,
            #"{"t":2,"lost":{"code":"connectionLost","message":"gone"}}"#,
        ]
        let (trace, remarks) = try Self.merged([
            try Self.positions(1, path: "/dev/a", name: "one", more: event),
            try Self.positions(2, path: "/dev/b", name: "two", more: [event[0].replacing("0.25", with: "0.75")]),
        ])
        #expect(trace.eventLines.filter { $0.contains("battery") }.map { $0.contains("0.25") } == [true])
        #expect(remarks.contains { $0.contains("battery of two") })
        #expect(remarks.contains { $0.contains("lost 1 times in one") })
    }

    @Test("A remark reports traces that use different clocks")
    func twoClocks() throws {
        let receiver = try Self.positions(1, path: "/dev/a", name: "way")
        let text = String(decoding: receiver.bytes, as: UTF8.self).replacing(
            #""version":1"#, with: #""version":1,"clock":"CLOCK_BOOTTIME""#)
        let machine = try TraceFile(bytes: [UInt8](text.utf8), name: "board")
        let (_, remarks) = try Self.merged([receiver, machine])
        #expect(remarks.contains { $0.contains("way uses a clock of its own, and board that of its machine") })
        #expect(!(try Self.merged([receiver, machine], .start).1.contains { $0.contains("clock") }))
    }
}
