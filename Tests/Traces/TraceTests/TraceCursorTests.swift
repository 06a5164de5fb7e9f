// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Reading native traces")
struct TraceCursorTests {
    @Test("Members may be in any order, with whitespace and further members")
    func anyForm() throws {
        let forms = [
            "{\"t\":1.5,\"gpsd\":\(tpv)}",
            "{\"gpsd\":\(tpv),\"t\":1.5}",
            "{ \"t\" : 1.5 , \"gpsd\" : \(tpv) }",
            "{\"t\":1.5,\"gpsd\":\(tpv),\"note\":1}",
            "{\"t\":1.5,\"gpsd\":\(tpv),\"note\":{}}",
            "{\"t\":1.5,\"gpsd\":\(tpv) , \"note\":{\"a\":{}}}",
            "{\"note\":{},\"t\":1.5,\"gpsd\":\(tpv)}",
            "{\"t\":15e-1,\"gpsd\":\(tpv)}",
            "{\"\\u0074\":1.5,\"gpsd\":\(tpv)}",
        ]
        for form in forms {
            let reading = try Reading("\(headerLine)\n\(form)\n")
            #expect(reading.lines == [tpv], "\(form)")
            #expect(reading.times == [1_500_000_000], "\(form)")
            #expect(reading.warnings.map(\.reason) == (form.contains("note") ? [.invalidMember] : []))
        }
    }

    @Test("A report with nested objects is returned whole")
    func nested() throws {
        let poll = #"{"class":"POLL","tpv":[{"class":"TPV"}],"x":{"a":{}},"y":{}}"#
        let reading = try Reading("\(headerLine)\n{\"t\":1,\"gpsd\":\(sky)}\n{\"t\":2,\"gpsd\":\(poll)}\n")
        #expect(reading.lines == [sky, poll])
    }

    @Test("Times keep nanoseconds that a Double would lose")
    func exactTime() throws {
        let reading = try Reading("\(headerLine)\n{\"t\":123456789.123456789,\"gpsd\":\(tpv)}\n")
        #expect(reading.times == [123_456_789_123_456_789])
    }

    @Test("Losses are read with code, message and cause")
    func losses() throws {
        let text = """
            \(headerLine)
            {"t":1,"lost":{"code":"unreachable","message":"gone \\"away\\"","cause":{"call":"connect","errno":111}}}
            {"t":2,"regained":true}
            {"t":3,"lost":{"code":"codeOfTheFuture"}}
            {"t":4,"lost":{"code":"silent","message":"x","cause":{"library":"libgps","code":-1}}}

            """
        let file = try TraceFile(bytes: [UInt8](text.utf8), name: "x")
        var cursor = TraceCursor(file)
        try file.bytes.withUnsafeBytes { bytes in
            var next = cursor.next(bytes)
            let first = try #require(next)
            let loss = try #require(first.loss(in: bytes))
            #expect(loss.code == .unreachable)
            #expect(loss.message == "gone \"away\"")
            #expect(loss.cause == .system(call: "connect", errno: 111))
            next = cursor.next(bytes)
            let second = try #require(next)
            #expect(second.kind == .regained)
            #expect(second.loss(in: bytes) == nil)
            #expect(second.line(in: bytes).isEmpty)
            next = cursor.next(bytes)
            let third = try #require(next?.loss(in: bytes))
            #expect(third.code == .connectionLost)
            #expect(!third.message.isEmpty)
            next = cursor.next(bytes)
            #expect(next?.loss(in: bytes)?.cause == .library(name: "libgps", code: -1))
            next = cursor.next(bytes)
            #expect(next == nil)
        }
    }

    @Test("Events of unknown kinds are skipped with a warning")
    func otherKinds() throws {
        let text = """
            \(headerLine)
            {"t":1,"imu":{"x":[1,2,3]}}
            {"t":2,"imu":{}}
            {"t":3,"accessoryAttached":{}}
            {"t":4,"gpsd":\(tpv)}
            {"t":5,"accessoryAttached":{}}

            """
        let reading = try Reading(text)
        #expect(reading.lines == [tpv])
        #expect(reading.warnings.map(\.reason) == [.unknownKind, .unknownKind, .unknownKind, .unknownKind])
        #expect(reading.cursor.diagnostics.remarks.count == 1)
    }

    @Test("Ten thousand unknown kinds are counted in a single message")
    func manyKinds() throws {
        var text = headerLine + "\n"
        for number in 0..<10_000 { text += "{\"t\":1,\"kind of event number \(number)\":0}\n" }
        let reading = try Reading(text)
        #expect(
            reading.cursor.diagnostics.remarks == [
                #"the event is of an unknown kind and was skipped (10000 times; first in line 2: "{\"t\":1,\"kind of event number 0\":0}")."#
            ])
    }

    @Test("Decreasing, negative and missing times are replaced by the previous time")
    func delayedTimes() throws {
        let text = """
            \(headerLine)
            {"t":-3,"gpsd":\(tpv)}
            {"t":5,"gpsd":\(tpv)}
            {"t":4.999999999,"gpsd":\(tpv)}
            {"t":"x","gpsd":\(tpv)}
            {"gpsd":\(tpv)}
            {"t":5.000000001,"gpsd":\(tpv)}

            """
        let reading = try Reading(text)
        #expect(reading.times == [0, 5_000_000_000, 5_000_000_000, 5_000_000_000, 5_000_000_000, 5_000_000_001])
        #expect(
            reading.warnings.map(\.description)
                == [
                    TraceWarning(line: 2, reason: .decreasingTime), TraceWarning(line: 4, reason: .decreasingTime),
                    TraceWarning(line: 5, reason: .missingTime), TraceWarning(line: 6, reason: .missingTime),
                ].map(\.description))
    }

    @Test("Malformed lines are skipped with a warning, and the number of warnings is bounded")
    func brokenLines() throws {
        let broken = [
            "x", "{", "{}", "[]", "{\"t\":1}", "{\"t\":1,\"gpsd\":5}", "{\"t\":1,\"gpsd\":{\"class\":\"TPV\"}",
            "{\"t\":1,\"gpsd\"",
            "{\"t\":1,\"regained\":{}}", "{\"t\":1,\"lost\":\"x\"}", "{\"t\":1,\"gpsdText\":{}}", "\u{1}\u{2}",
        ]
        let text = "\(headerLine)\n" + broken.joined(separator: "\n") + "\n{\"t\":2,\"gpsd\":\(tpv)}\n"
        let reading = try Reading(text)
        #expect(reading.lines == [tpv])
        #expect(reading.cursor.skippedLines == broken.count)
        #expect(reading.warnings.map(\.line) == Array(2..<broken.count + 2))
        let many = try Reading("\(headerLine)\n" + String(repeating: "x\n", count: 5000))
        #expect(many.warnings.count == TraceCursor.maximumWarnings)
        #expect(many.cursor.warningCount == 5000)
    }

    @Test("A trace that is cut at any byte is read up to the cut, with a warning")
    func truncation() throws {
        let events = [
            "{\"t\":1.000000001,\"gpsd\":\(tpv)}", "{\"t\":2.000000002,\"gpsd\":\(sky)}",
            #"{"t":3.0,"lost":{"code":"silent","message":"}}"}}"#, #"{"t":4.0,"regained":true}"#,
            #"{"t":5.0,"gpsdText":"$GPGGA}}"}"#,
        ]
        let whole = [UInt8]("\(headerLine)\n\(events.joined(separator: "\n"))\n".utf8)
        // The end of each event, without its line feed.
        var ends: [Int] = []
        var end = headerLine.utf8.count
        for event in events {
            end += 1 + event.utf8.count
            ends.append(end)
        }
        for length in 0...whole.count {
            let bytes = Array(whole.prefix(length))
            if length < headerLine.utf8.count {
                #expect(throws: DeviceError.self) { try Reading(bytes) }
                continue
            }
            let reading = try Reading(bytes)
            let complete = ends.filter { $0 <= length }.count
            #expect(reading.records.count == complete, "\(length)")
            let isCut = length > headerLine.utf8.count + 1 && !ends.contains(length) && !ends.contains(length - 1)
            #expect(reading.warnings.map(\.reason) == (isCut ? [.truncatedLine] : []), "\(length)")
        }
    }

    @Test("A recording of gpspipe that is cut loses only its last line")
    func cutText() throws {
        let text = [UInt8]("\(tpv)\n\(sky)".utf8)
        for length in tpv.utf8.count..<text.count {
            let reading = try Reading(Array(text.prefix(length)))
            #expect(reading.lines == [tpv])
            let isCut = length > tpv.utf8.count + 1
            #expect(reading.warnings.map(\.line) == (isCut ? [2] : []))
            #expect(reading.warnings.allSatisfy { $0.reason == .truncatedLine })
        }
        #expect(try Reading(text).lines == [tpv, sky])
    }

    @Test("A cursor stays within the bounds of a buffer other than its file's")
    func otherBytes() throws {
        let file = try TraceFile(bytes: [UInt8]("\(headerLine)\n{\"t\":1,\"gpsd\":\(tpv)}\n".utf8), name: "x")
        var cursor = TraceCursor(file)
        let found = file.bytes.withUnsafeBytes { cursor.next($0) }
        let record = try #require(found)
        let few: [UInt8] = [1, 2, 3]
        few.withUnsafeBytes { few in
            let next = cursor.next(few)
            #expect(next == nil)
            #expect(record.line(in: few).isEmpty)
        }
        let next = cursor.next(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(next == nil)
    }

    @Test("Randomly damaged traces are read without a crash, and time never decreases")
    func mutations() throws {
        var native = "\(headerLine)\n"
        native +=
            "{\"t\":1.000000001,\"gpsd\":\(tpv)}\n{\"t\":2,\"gpsdText\":\"$\\u0041\"}\n{\"t\":2,\"gpsdHex\":\"24ff\"}\n"
        native += #"{"t":3,"lost":{"code":"silent","message":"x","cause":{"call":"a","errno":1}}}"# + "\n"
        native += "{\"t\":4e0,\"regained\":true}\n{\"gpsd\":\(sky),\"t\":5}\n{\"t\":6,\"imu\":[1]}\n"
        native += #"{"t":6.5,"accelerometer":[0.1,-2,9.81e0],"sensor":"a\"b","stamp":6.25}"# + "\n"
        native += #"{"t":7,"gyroscope":[1,2,3]}"# + "\n" + #"{"t":7,"pressure":101.3}"# + "\n"
        native +=
            #"{"t":8,"battery":{"level":0.5,"state":"full"}}"# + "\n" + #"{"t":9,"lost":{},"sensor":"a\"b"}"# + "\n"
        native += #"{"t":10,"attach":{"id":"1","name":"n","vendor":"1209","protocols":["com.a","com.b"]}}"# + "\n"
        native += #"{"t":10,"open":"com.a","accessory":"1"}"# + "\n"
        native += #"{"t":10,"out":"a\r\n","accessory":"1","protocol":"com.a"}"# + "\n"
        native += #"{"t":10,"inHex":"00ff","accessory":"1","protocol":"com.b"}"# + "\n"
        native += #"{"t":11,"close":"com.a","accessory":"1","end":"hungUp"}"# + "\n" + #"{"t":11,"detach":"1"}"# + "\n"
        let stamped = "2026-11-21 03:39:22 1795232362.754231: \(tpv)\n$GP\n2026-11-21T03:39:23.5Z: \(sky)\n# x\n{}\n"
        let seeds = [[UInt8](native.utf8), [UInt8](stamped.utf8)]
        var random = Random(state: 2026)
        var readable = 0
        for round in 0..<100_000 {
            var bytes = seeds[round % 2]
            for _ in 0...random.below(4) {
                guard !bytes.isEmpty else { break }
                let offset = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[offset] = UInt8(truncatingIfNeeded: random.below(256))
                case 1: bytes.remove(at: offset)
                case 2: bytes.insert(UInt8(truncatingIfNeeded: random.below(256)), at: offset)
                default: bytes.removeSubrange(offset..<min(bytes.count, offset + random.below(40)))
                }
            }
            guard let file = try? TraceFile(bytes: bytes, name: "x") else { continue }
            readable += 1
            file.bytes.withUnsafeBytes { bytes in
                var cursor = TraceCursor(file)
                var last: Int64 = 0
                while let record = cursor.next(bytes) {
                    if (record.time ?? last) < last { Issue.record("time goes back in round \(round)") }
                    last = record.time ?? last
                    _ = record.line(in: bytes)
                    _ = record.loss(in: bytes)
                    _ = record.battery(in: bytes)
                    if record.kind == .accessory, record.accessoryEvent(in: bytes) == nil {
                        Issue.record("an accessory that cannot be read in round \(round)")
                    }
                    if let sensor = record.sensor, !cursor.sensors.indices.contains(sensor) {
                        Issue.record("a sensor that there is not in round \(round)")
                    }
                    if let value = record.sample?.value, !TraceSample.isValid(value) {
                        Issue.record("a value that cannot be used in round \(round)")
                    }
                }
                if file.findSensors() != cursor.sensors {
                    Issue.record("other sensors than the cursor's in round \(round)")
                }
            }
        }
        #expect(readable > 10_000)
    }
}

/// Knuth's linear congruential generator (MMIX), so that every run is the same.
private struct Random {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(max(limit, 1)))
    }
}
