// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport
import Testing

@testable import Trace

@Suite("Trace files")
struct TraceFileTests {
    private func failure(_ bytes: [UInt8]) -> DeviceError? {
        #expect(throws: DeviceError.self) { try TraceFile(bytes: bytes, name: "x.trace") }
    }

    private func failure(_ text: String) -> DeviceError? { failure([UInt8](text.utf8)) }

    @Test("A header is read completely, and members unknown to this version are kept")
    func header() throws {
        let text = #"""
            {"format":"device-services-trace","version":1,"start":{"utc":"2026-11-21T03:39:22.000000001Z",
            "boot":12345.678901234},"clock":"CLOCK_BOOTTIME","devices":[{"kind":"gpsd","path":"/dev/ttyACM0",
            "driver":"u-blox","bps":9600,"cycle":0.2,"colour":"blue"},{"kind":"iio","context":{"a":[1,2]}}],
            "units":{"t":"s","acceleration":"m/s^2"},"frame":"sensor","recorder":"sensorctl 0.1",
            "source":"gpsd://localhost:2947","weather":{"rain":true}}
            """#.split(separator: "\n").joined() + "\n"
        let header = try #require(try Reading(text).file.header)
        #expect(header.start?.wallTime.nanoseconds == 1_795_232_362_000_000_001)
        #expect(header.start?.boot.nanoseconds == 12_345_678_901_234)
        #expect(header.clock == "CLOCK_BOOTTIME")
        #expect(header.devices.map(\.kind) == ["gpsd", "iio"])
        #expect(header.devices.first?.receiver.path == "/dev/ttyACM0")
        #expect(header.devices.first?.receiver.bitsPerSecond == 9600)
        #expect(header.devices.first?.receiver.cycle == 0.2)
        #expect(header.devices.first?.otherMembers == [TraceMember(name: "colour", json: [UInt8](#""blue""#.utf8))])
        #expect(
            header.devices.last?.otherMembers == [TraceMember(name: "context", json: [UInt8](#"{"a":[1,2]}"#.utf8))])
        #expect(header.units == ["t": "s", "acceleration": "m/s^2"])
        #expect(header.recorder == "sensorctl 0.1")
        #expect(header.source == "gpsd://localhost:2947")
        #expect(header.otherMembers == [TraceMember(name: "weather", json: [UInt8](#"{"rain":true}"#.utf8))])
        // Writing and reading the header again does not change it.
        let again = try Reading(header.line() + [10]).file.header
        #expect(again == header)
    }

    @Test("A later version is rejected with the advice to update")
    func laterVersion() {
        for version in ["2", "2.0", "99999999999999999999", "1e300"] {
            let error = failure(#"{"version":\#(version),"format":"device-services-trace","start":17}"# + "\n")
            #expect(error?.code == .notSupported)
            #expect(error?.message.contains("later version") == true)
        }
    }

    @Test("A later minor version is accepted")
    func minorVersion() throws {
        let file = try TraceFile(bytes: [UInt8](#"{"format":"device-services-trace","version":1.7}"#.utf8), name: "x")
        #expect(file.header?.version == 1)
        #expect(file.header?.start == nil)
    }

    @Test(
        "An invalid header is rejected",
        arguments: [
            "", #","version":null"#, #","version":"1""#, #","version":0"#, #","version":-1"#, #","version":nan"#,
            #","version":{}"#, #","version":1,"start":5"#, #","version":1,"start":{}"#, #","version":1,"start":[]"#,
            #","version":1,"start":{"utc":"yesterday","boot":1}"#, #","version":1,"start":{"utc":7}"#,
            #","version":1,"start":{"utc":"2026-01-01T00:00:00Z","boot":"soon"}"#,
            #","version":1,"start":{"utc":"2026-01-01T00:00:00Z","boot":1e99}"#, #","version":1,"x":tru"#,
            #","version":1,"x":\#(String(repeating: "[", count: 70))"#, #","version":1}}"#,
        ])
    func hostileHeader(members: String) {
        let error = failure(
            #"{"format":"device-services-trace"\#(members)}"# + "\n" + #"{"t":0,"gpsd":{"class":"TPV"}}"#)
        #expect(error?.code == .invalidTrace)
    }

    @Test(
        "Values of the wrong type count as absent",
        arguments: [
            #""devices":{}"#, #""devices":[1,null,"x",{"kind":3,"path":[],"bps":1e99,"cycle":"x"}]"#, #""units":[]"#,
            #""units":{"t":5}"#, #""clock":1,"frame":{},"recorder":[],"source":false"#, #""start":null"#,
        ])
    func oddHeader(members: String) throws {
        let reading = try Reading(
            #"{"format":"device-services-trace","version":1,\#(members)}"# + "\n{\"t\":1,\"gpsd\":\(tpv)}\n")
        #expect(reading.lines == [tpv])
    }

    @Test(
        "The error for a file in another format names the format and how to open it",
        arguments: [
            ("<?xml version=\"1.0\"?>\n<gpx version=\"1.1\">\n</gpx>\n", "It is a GPX file."),
            ("\u{feff}<ns1:gpx xmlns:ns1=\"x\"></ns1:gpx>", "It is a GPX file."),
            (
                "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n",
                "It contains NMEA sentences."
            ),
            ("time,lat,lon\n0,1,2\n", "It is a table."),
        ])
    func otherFormat(text: String, format: String) throws {
        let error = #expect(throws: DeviceError.self) { try TraceFile(bytes: Array(text.utf8), name: "a.gpx") }
        let message = try #require(error?.message)
        #expect(message.contains(format) && message.contains("SimulatedDevice(recording:)"), "\(message)")
        #expect(message.contains("sensorctl convert a.gpx"))
    }

    @Test("The error for an MCAP file names the format")
    func mcap() throws {
        let bytes = [0x89] + Array("MCAP0\r\n".utf8)
        let error = #expect(throws: DeviceError.self) { try TraceFile(bytes: bytes, name: "a.mcap") }
        #expect(error?.message.contains("It is an MCAP file.") == true)
    }

    @Test("Errors identify compressed, empty and binary files, and text that is not a trace")
    func notATrace() {
        #expect(failure([0x1f, 0x8b, 8, 0, 0])?.message.contains("gunzip x.trace") == true)
        #expect(failure([])?.message.contains("empty") == true)
        #expect(failure([0xef, 0xbb, 0xbf])?.message.contains("empty") == true)
        #expect(failure([0xff, 0xfe, 0x7b, 0])?.message.contains("UTF-16") == true)
        #expect(failure([UInt8](repeating: 0, count: 5000))?.code == .invalidTrace)
        #expect(failure((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })?.code == .invalidTrace)
        #expect(failure("$GPGGA,1*00\n")?.message.contains("NMEA") == true)
        #expect(failure("{\n  \"class\": \"TPV\"\n}\n")?.code == .invalidTrace)
        #expect(failure("{\"type\":\"FeatureCollection\"}\n")?.code == .invalidTrace)
        #expect(failure("\n\n\r\n")?.code == .invalidTrace)
    }

    @Test("Errors for a missing file and for a directory contain the path")
    func paths() throws {
        for path in ["/nowhere/x.trace", FileManager.default.temporaryDirectory.path] {
            let error = #expect(throws: DeviceError.self) { try TraceFile(path: path) }
            #expect(error?.message.contains(path) == true)
        }
    }

    @Test("A byte order mark, carriage returns, whitespace and zero bytes around lines are ignored")
    func blanks() throws {
        let native = try Reading(
            "\u{feff}\r\n  \(headerLine)\r\n\r\n {\"t\":1,\"gpsd\":\(tpv)}\t\r\n\0\0\0{\"t\":2,\"gpsd\":\(sky)}\n\0\0\0"
        )
        #expect(native.lines == [tpv, sky])
        #expect(native.times == [1_000_000_000, 2_000_000_000])
        #expect(native.warnings.isEmpty)
        let text = try Reading("\u{feff}\(tpv)\r\n\0\0\(sky)\0\r\n\0\0")
        #expect(text.lines == [tpv, sky])
        #expect(text.cursor.skippedLines == 0)
    }

    @Test("A line of 100 MB is skipped with a warning, and the following lines are read")
    func longLine() throws {
        var bytes = [UInt8](#"{"class":"X","text":""#.utf8)
        bytes += [UInt8](repeating: UInt8(ascii: "a"), count: 100_000_000)
        bytes += [UInt8]("\"}\n\(tpv)\n".utf8)
        let file = try TraceFile(bytes: bytes, name: "long")
        var cursor = TraceCursor(file)
        let ranges = file.bytes.withUnsafeBytes { bytes in
            var ranges: [Int] = []
            while let record = cursor.next(bytes) { ranges.append(record.range.count) }
            return ranges
        }
        #expect(ranges == [tpv.utf8.count])
        #expect(cursor.warnings.map(\.reason) == [.lineTooLong])
        #expect(failure([UInt8](repeating: UInt8(ascii: "{"), count: 100_000_000))?.code == .invalidTrace)
    }
}
