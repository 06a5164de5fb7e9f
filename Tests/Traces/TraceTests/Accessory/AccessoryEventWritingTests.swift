// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Writing accessory events")
struct AccessoryEventWritingTests {
    private func lines(_ events: [(Int64, TraceAccessoryEvent)]) throws -> [UInt8] {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a.trace"))
        try writer.write(TraceHeader())
        for (time, event) in events { try writer.write(.accessory(event), at: time) }
        try writer.close()
        return try folder.bytes("a.trace")
    }

    @Test("Events are written in the documented forms")
    func forms() throws {
        let id = "1"
        let bytes = try lines([
            (500_000_000, TraceAccessoryEvent(accessory: id, .attached(scale))),
            (1_000_000_000, TraceAccessoryEvent(accessory: id, .opened("com.example.scale"))),
            (1_000_000_000, TraceAccessoryEvent(accessory: id, .sent("com.example.scale", Array("READ\r\n".utf8)))),
            (1_000_000_000, TraceAccessoryEvent(accessory: id, .received("com.example.scale", [0, 255]))),
            (1_000_000_000, TraceAccessoryEvent(accessory: id, .received("com.example.scale", Array("\u{7f}".utf8)))),
            (1_000_000_000, TraceAccessoryEvent(accessory: id, .received("com.example.scale", []))),
            (2_000_000_000, TraceAccessoryEvent(accessory: id, .closed("com.example.scale", .closed))),
            (2_000_000_000, TraceAccessoryEvent(accessory: id, .closed("com.example.log", .failed))),
            (2_000_000_000, TraceAccessoryEvent(accessory: id, .detached)),
        ])
        let prefix = #","accessory":"1","protocol":"com.example.scale"}"#
        let written = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().map(String.init)
        #expect(
            written == [
                scaleLine.replacing("\"t\":0.5,", with: "\"t\":0.500000000,"),
                #"{"t":1.000000000,"open":"com.example.scale","accessory":"1"}"#,
                #"{"t":1.000000000,"out":"READ\r\n""# + prefix, #"{"t":1.000000000,"inHex":"00ff""# + prefix,
                #"{"t":1.000000000,"inHex":"7f""# + prefix,
                #"{"t":2.000000000,"close":"com.example.scale","accessory":"1"}"#,
                #"{"t":2.000000000,"close":"com.example.log","accessory":"1","end":"failed"}"#,
                #"{"t":2.000000000,"detach":"1"}"#,
            ])
    }

    @Test("Bytes are read back unchanged, in events of at most the maximum size")
    func bytes() throws {
        var numbers = SplitMix64(seed: 3)
        var output: [UInt8] = []
        var events: [(Int64, TraceAccessoryEvent)] = [(0, TraceAccessoryEvent(accessory: "a\"\n", .attached(scale)))]
        // Characters of 1 to 4 bytes, which must not be split, and lengths around the limit.
        let texts = ["a", "\u{e9}", "\u{20ac}", "\u{1f600}"]
        for length in [1, 65_535, 65_536, 65_537, 131_073, 200_000] {
            for text in texts {
                let all = [UInt8](String(repeating: text, count: length / text.utf8.count + 1).utf8)
                let part = Array(all[0..<length])
                output += part
                events.append((1, TraceAccessoryEvent(accessory: "a\"\n", .received("com.example.scale", part))))
            }
            let random = (0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            output += random
            events.append((1, TraceAccessoryEvent(accessory: "a\"\n", .received("com.example.scale", random))))
        }
        let reading = try AccessoryReading(try lines(events))
        #expect(reading.cursor.warnings.isEmpty)
        var input: [UInt8] = []
        for event in reading.events {
            guard case .received(_, let part) = event.change else { continue }
            #expect(part.count <= TraceAccessoryEvent.maximumBytes)
            input += part
        }
        #expect(input == output)
    }

    @Test("Descriptions are read back with the properties that a trace stores")
    func descriptions() throws {
        var declared = AccessoryDescription(identity: "declared:x:1", name: "A \"B\"\u{1}\u{e9}", portPath: "bench")
        declared.protocols = [AccessoryProtocol(name: "com.a", origin: .configuration, interface: 2)]
        var copy = declared
        copy.protocols = [AccessoryProtocol(name: "com.a", origin: .trace)]
        let zero = AccessoryDescription(
            identity: "port:1-1", name: "n", portPath: "1-1", vendorID: 0, productID: 0xffff)
        let reading = try AccessoryReading(
            try lines([
                (0, TraceAccessoryEvent(accessory: "1", .attached(declared))),
                (0, TraceAccessoryEvent(accessory: "2", .attached(zero))),
            ]))
        #expect(reading.events.map(\.change) == [.attached(copy), .attached(zero)])
    }
}
