// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Rewriting traces")
struct RewritingTests {
    @Test("A trace with events of all kinds is rewritten byte for byte")
    func everything() throws {
        let lines = [
            #"{"format":"device-services-trace","version":1,"devices":[],"units":{}}"#,
            scaleLine.replacing("\"t\":0.5,", with: "\"t\":0.500000000,"),
            #"{"t":0.500000001,"gpsd":\#(tpv)}"#, #"{"t":0.600000000,"gpsdText":"$GPGGA,1\\"}"#,
            #"{"t":0.600000000,"gpsdHex":"24ff"}"#,
            #"{"t":1.000000000,"open":"com.example.scale","accessory":"1"}"#,
            #"{"t":1.000000000,"out":"READ\r\n","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1.250000000,"accelerometer":[0.1,-2.0,9.81],"sensor":"x","stamp":1.248300000}"#,
            #"{"t":1.250000000,"inHex":"00ff7f","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1.300000000,"in":"12 \"kg\" é","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":2.000000000,"battery":{"level":0.5,"state":"full"}}"#, #"{"t":2.000000000,"battery":null}"#,
            #"{"t":3.000000000,"lost":{"code":"silent","message":"m"}}"#, #"{"t":3.500000000,"regained":true}"#,
            #"{"t":4.000000000,"close":"com.example.scale","accessory":"1","end":"hungUp"}"#,
            #"{"t":4.000000000,"detach":"1"}"#,
        ]
        let text = [UInt8](lines.joined(separator: "\n").utf8) + [10]
        let file = try TraceFile(bytes: text, name: "all")
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("again.trace"))
        try writer.write(try #require(file.header))
        try file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            while let record = cursor.next(bytes) {
                let time = try #require(record.time)
                switch record.kind {
                case .gpsd, .gpsdText: try writer.write(.gpsd(record.line(in: bytes)), at: time)
                case .lost: try writer.write(.lost(try #require(record.loss(in: bytes))), at: time)
                case .regained: try writer.write(.regained, at: time)
                case .battery: try writer.write(.battery(record.battery(in: bytes)), at: time)
                case .accessory: try writer.write(.accessory(try #require(record.accessoryEvent(in: bytes))), at: time)
                case .beacon: try writer.write(.beacon(try #require(record.beaconEvent(in: bytes))), at: time)
                case .sample:
                    let sample = try #require(record.sample)
                    try writer.write(
                        sample: sample.value, kind: sample.kind, sensor: cursor.sensors[sample.sensor].id,
                        stamp: sample.stamp, at: time)
                case .sensorLost, .sensorRegained: Issue.record("no such event here")
                }
            }
            #expect(cursor.warnings.isEmpty)
        }
        try writer.close()
        let again = try folder.bytes("again.trace")
        #expect(String(decoding: again, as: UTF8.self).split(separator: "\n").map(String.init) == lines)
        #expect(again == text)
    }
}
