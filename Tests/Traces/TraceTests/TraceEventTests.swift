// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Copying trace events")
struct TraceEventTests {
    static let text = """
        {"format":"device-services-trace","version":1,"sensors":[{"id":"a","kind":"accelerometer"}]}
        {"t":0.500000000,"gpsd":{"class":"TPV","mode":1}}
        {"t":0.750000000,"gpsdText":"$GPGGA"}
        {"t":0.750000000,"gpsdHex":"ff00"}
        {"t":1.000000000,"accelerometer":[1.0,2.0,9.5],"sensor":"a","stamp":0.990000000}
        {"t":1.000000000,"pressure":101.25}
        {"t":2.000000000,"lost":{"code":"silent","message":"Nothing."}}
        {"t":2.500000000,"regained":true}
        {"t":3.000000000,"lost":{"code":"connectionLost","message":"Gone."},"sensor":"a"}
        {"t":4.000000000,"regained":true,"sensor":"a"}
        {"t":5.000000000,"battery":null}

        """

    private static func copy(_ file: TraceFile, limit: Int = 1 << 20) throws -> TraceBuilder {
        let builder = TraceBuilder(name: "copy", limit: limit)
        try builder.write(file.header ?? TraceHeader())
        let bytes = file.bytes
        var cursor = TraceCursor(file)
        while let event = bytes.withUnsafeBytes({ cursor.nextEvent($0) }) { try builder.write(event) }
        return builder
    }

    @Test("Writing the events of a trace again yields the same trace")
    func copies() throws {
        let file = try TraceFile(bytes: [UInt8](Self.text.utf8), name: "t")
        let copy = try Self.copy(file).file()
        let lines = { (file: TraceFile) in
            String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").dropFirst()
        }
        #expect(lines(copy) == lines(file))
        #expect(copy.header == file.header)
    }

    @Test("Times never decrease, and an event without a time has the time of the previous one")
    func times() throws {
        let builder = TraceBuilder(name: "t")
        try builder.write(TraceHeader())
        try builder.write(TraceEvent(time: nil, .regained))
        try builder.write(TraceEvent(time: 2_000_000_000, .regained))
        try builder.write(TraceEvent(time: 1_000_000_000, .regained))
        try builder.write(TraceEvent(time: nil, .regained))
        // A late reading is stamped with the time of measurement.
        try builder.write(
            TraceEvent(time: 1_000_000_000, .sample([100, 0, 0], kind: .pressure, sensor: "pressure", stamp: nil)))
        let text = String(decoding: try builder.file().bytes, as: UTF8.self)
        #expect(
            text.split(separator: "\n").dropFirst()
                == [
                    #"{"t":0.000000000,"regained":true}"#,
                    #"{"t":2.000000000,"regained":true}"#, #"{"t":2.000000000,"regained":true}"#,
                    #"{"t":2.000000000,"regained":true}"#, #"{"t":2.000000000,"pressure":100.0,"stamp":1.000000000}"#,
                ])
    }

    @Test("The header is written first and only once, and memory is bounded")
    func order() throws {
        let builder = TraceBuilder(name: "t", limit: 1000)
        #expect(throws: DeviceError.self) { try builder.write(TraceEvent(time: 0, .regained)) }
        try builder.write(TraceHeader())
        #expect(throws: DeviceError.self) { try builder.write(TraceHeader()) }
        #expect(throws: DeviceError.self) {
            for _ in 0..<100 { try builder.write(TraceEvent(time: 0, .regained)) }
        }
    }
}
