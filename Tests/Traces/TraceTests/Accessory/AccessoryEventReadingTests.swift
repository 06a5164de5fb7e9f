// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import TestSupport
import Testing

@testable import Trace

@Suite("Reading accessory events")
struct AccessoryEventReadingTests {
    @Test("Each kind of event is read, with its members in any order")
    func kinds() throws {
        let reading = try AccessoryReading(lines: [
            scaleLine,
            #"{"t":1,"open":"com.example.scale","accessory":"1"}"#,
            #"{ "accessory" : "1", "protocol" : "com.example.scale", "out" : "READ\r\n", "t" : 1.5 }"#,
            #"{"t":2,"in":"12.5 kg \u00b1 \ud83d\ude00","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":2,"inHex":"00fFa0","accessory":"1","protocol":"com.example.log"}"#,
            #"{"t":2,"outHex":"","accessory":"1","protocol":"com.example.log"}"#,
            #"{"t":3,"close":"com.example.scale","accessory":"1"}"#,
            #"{"t":3,"close":"com.example.log","accessory":"1","end":"hungUp"}"#,
            #"{"t":4,"detach":"1"}"#,
        ])
        let text = [UInt8]("12.5 kg \u{b1} \u{1f600}".utf8)
        let changes: [TraceAccessoryEvent.Change] = [
            .attached(scale), .opened("com.example.scale"),
            .sent("com.example.scale", [0x52, 0x45, 0x41, 0x44, 13, 10]),
            .received("com.example.scale", text), .received("com.example.log", [0, 0xff, 0xa0]),
            .sent("com.example.log", []), .closed("com.example.scale", .closed), .closed("com.example.log", .hungUp),
            .detached,
        ]
        #expect(reading.events == changes.map { TraceAccessoryEvent(accessory: "1", $0) })
        let seconds = [0.5, 1, 1.5, 2, 2, 2, 3, 3, 4]
        #expect(reading.times == seconds.map { Int64($0 * 1e9) })
        #expect(reading.cursor.warnings.isEmpty)
    }

    @Test("An accessory without vendor and serial number is identified by its port")
    func little() throws {
        let reading = try AccessoryReading(lines: [
            #"{"t":1,"attach":{"id":"x","later":{"a":[1]},"port":"3-1"}}"#,
            #"{"t":2,"attach":{"id":"y","identity":"declared:bench","vendor":"12","product":"+123"}}"#,
        ])
        let bare = AccessoryDescription(identity: "port:3-1", name: "", portPath: "3-1")
        let declared = AccessoryDescription(identity: "declared:bench", name: "")
        #expect(reading.events.map(\.change) == [.attached(bare), .attached(declared)])
    }

    @Test("Invalid events are skipped with a warning, and the following events are read")
    func hostile() throws {
        let long = String(repeating: "n", count: 1025)
        let broken = [
            #"{"t":1,"attach":{"name":"without id"}}"#, #"{"t":1,"attach":"1"}"#, #"{"t":1,"attach":null}"#,
            #"{"t":1,"attach":{"id":7}}"#, #"{"t":1,"attach":{"id":"2","name":""# + long + #""}}"#,
            #"{"t":1,"detach":{"id":"1"}}"#, #"{"t":1,"detach":1}"#, #"{"t":1,"open":"com.example.scale"}"#,
            #"{"t":1,"open":"scale","accessory":"1"}"#, #"{"t":1,"close":null,"accessory":"1"}"#,
            #"{"t":1,"in":"a","accessory":"1"}"#, #"{"t":1,"in":"a","protocol":"com.example.scale"}"#,
            #"{"t":1,"in":5,"accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1,"inHex":"abc","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1,"outHex":"zz","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1,"outHex":"\u0030\u0030","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":1,"in":""# + String(repeating: "x", count: 65_537)
                + #"","accessory":"1","protocol":"com.example.scale"}"#,
        ]
        let last = #"{"t":2,"in":"kept","accessory":"1","protocol":"com.example.scale"}"#
        let reading = try AccessoryReading(lines: [scaleLine] + broken + [last])
        #expect(reading.events.count == 2)
        #expect(reading.reasons == broken.map { _ in .invalidAccessoryEvent })
        #expect(reading.cursor.warnings.map(\.line) == (3..<3 + broken.count).map { $0 })
    }

    @Test("Events of unattached accessories and unknown protocols are skipped with a warning")
    func unknown() throws {
        let reading = try AccessoryReading(lines: [
            #"{"t":1,"open":"com.example.scale","accessory":"1"}"#, scaleLine,
            #"{"t":1,"open":"com.example.other","accessory":"1"}"#,
            #"{"t":1,"in":"a","accessory":"2","protocol":"com.example.scale"}"#,
            #"{"t":1,"detach":"2"}"#, #"{"t":1,"detach":"1"}"#, #"{"t":1,"detach":"1"}"#,
            #"{"t":1,"close":"com.example.scale","accessory":"1"}"#,
        ])
        #expect(reading.events.map(\.change) == [.attached(scale), .detached])
        #expect(reading.reasons == Array(repeating: .unknownAccessory, count: 6))
    }

    @Test("At most 256 accessories are attached at a time, with at most 64 distinct protocols each")
    func bounds() throws {
        let names = (0..<70).map { "\"com.example.p\($0)\"" } + ["\"com.example.p0\"", "7", "\"bad\""]
        let attach = (0..<300).map {
            "{\"t\":1,\"attach\":{\"id\":\"\($0)\",\"protocols\":[\(names.joined(separator: ","))]}}"
        }
        let again = #"{"t":2,"attach":{"id":"3"}}"#
        let reading = try AccessoryReading(
            lines: attach + [again, #"{"t":3,"detach":"9"}"#, #"{"t":3,"attach":{"id":"299"}}"#])
        #expect(reading.events.count == 256 + 3)
        #expect(reading.reasons == Array(repeating: .unknownAccessory, count: 44))
        let first = try #require(reading.events.first)
        guard case .attached(let description) = first.change else {
            Issue.record("not attached")
            return
        }
        #expect(description.protocols.map(\.name) == (0..<64).map { "com.example.p\($0)" })
    }

    @Test("Truncated and randomly changed traces are read without a crash")
    func anyBytes() throws {
        let lines = [
            scaleLine, #"{"t":1,"open":"com.example.scale","accessory":"1"}"#,
            #"{"t":1.5,"out":"READ\r\n","accessory":"1","protocol":"com.example.scale"}"#,
            #"{"t":2,"inHex":"00fFa0","accessory":"1","protocol":"com.example.log"}"#, #"{"t":4,"detach":"1"}"#,
        ]
        let header = [UInt8](headerLine.utf8) + [10]
        let body = [UInt8](lines.joined(separator: "\n").utf8)
        for end in 0...body.count { _ = try AccessoryReading(header + body[..<end]) }
        var numbers = SplitMix64(seed: 7)
        for _ in 0..<Thoroughness.rounds(2000, quick: 200) {
            var changed = body
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                changed[Int.random(in: 0..<changed.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            let reading = try AccessoryReading(header + changed)
            #expect(reading.events.count <= 9)
        }
    }
}
