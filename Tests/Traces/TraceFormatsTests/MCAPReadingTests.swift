// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import TestSupport
import Testing
import Trace

@testable import TraceFormats

@Suite("Reading damaged MCAP files and those of other programs")
struct MCAPReadingTests {
    @Test(
        "Foxglove's files are read with or without chunks and summary, and with messages in any order",
        .enabled(if: MCAPFiles.referenceReader != nil, MCAPFiles.referenceReaderMissing))
    func others() throws {
        let python = try #require(MCAPFiles.referenceReader)
        try Files.withFolder { folder in
            _ = try MCAPFiles.messages(python, "mcap_oracle.py", ["write", folder])
            let names = ["chunked", "small-chunks", "unchunked", "no-summary", "disordered"]
            for name in names {
                let file = try RecordingFile.open("\(folder)/\(name).mcap")
                #expect(file.format == .mcap)
                // The script writes one position a second, 0.001 degrees apart. Standard deviations of 2 and 3 m are
                // 3.92 and 5.88 m at 95 %.
                var text = MCAPFiles.lines(file.trace).dropFirst()
                #expect(text.count == 10, "\(name)")
                for second in 0..<10 {
                    let line = text.popFirst() ?? ""
                    #expect(
                        line.hasPrefix(#"{"t":\#(second).000000000,"gpsd":{"class":"TPV","device":"gps","mode":3,"#))
                    #expect(line.contains(#""time":"2024-05-01T10:00:0\#(second).000Z","lat":50.00\#(second)000000,"#))
                    #expect(line.contains(#""altHAE":10\#(second).0000,"epx":3.920,"epy":3.920,"epv":5.880"#))
                }
                #expect(file.trace.start?.nanoseconds == 1_714_557_600_000_000_000)
                #expect(
                    file.remarks == [
                        "10 messages of foxglove.RawImage (protobuf) were skipped. Supported are gpsd reports as JSON, and foxglove.LocationFix as JSON and protobuf.",
                        "9 positions have a speed, course or climb derived from the previous position.",
                    ], "\(name)")
            }
            // The same positions in Protocol Buffers, as recorded by Foxglove's own programs.
            let json = MCAPFiles.lines(try RecordingFile.open("\(folder)/chunked.mcap").trace).dropFirst()
            let protobuf = MCAPFiles.lines(try RecordingFile.open("\(folder)/protobuf.mcap").trace).dropFirst()
            #expect(Array(protobuf) == Array(json))
            for name in ["zstd", "lz4"] {
                let error = #expect(throws: DeviceError.self) { try RecordingFile.open("\(folder)/\(name).mcap") }
                // From the manual of the mcap tool: mcap decompress in.mcap -o out.mcap
                #expect(error?.message.contains("mcap decompress \(folder)/\(name).mcap -o ") == true)
                #expect(error?.message.contains("compressed with \(name)") == true)
            }
        }
    }

    /// Returns an MCAP file written by another library.
    private static func foreign(_ body: (inout MCAPWriter) throws -> Void) throws -> [UInt8] {
        try Files.withFolder { folder in
            var writer = try MCAPWriter(path: folder + "/a.mcap", ExportOptions(), library: "other")
            try body(&writer)
            try writer.close()
            return try Files.bytes(folder + "/a.mcap")
        }
    }

    @Test("Positions of other programs are read, and remarks report all other messages")
    func foreign() throws {
        let location =
            #"{"timestamp":{"sec":1714557601,"nsec":500000000},"frame_id":"gps","latitude":-33.5,"longitude":151.25,"altitude":40,"position_covariance":[4,0,0,0,4,0,0,0,9],"position_covariance_type":1}"#
        let bytes = try Self.foreign { writer in
            let fix = writer.channel(
                topic: "/fix", schema: writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix))
            let other = writer.channel(topic: "/diagnostics", schema: writer.schema(name: "other.Thing", json: "{}"))
            try writer.message(fix, logged: 1_714_557_602_000_000_000, published: 0, [UInt8](location.utf8))
            try writer.message(other, logged: 1_714_557_603_000_000_000, published: 0, [UInt8]("{}".utf8))
            try writer.message(fix, logged: 1_714_557_604_000_000_000, published: 0, [UInt8]("{\"latitude\":1}".utf8))
        }
        let file = try RecordingFile.read(bytes, name: "t")
        #expect(
            MCAPFiles.lines(file.trace).dropFirst() == [
                #"{"t":0.000000000,"gpsd":{"class":"TPV","device":"gps","mode":3,"time":"2024-05-01T10:00:01.500Z","lat":-33.500000000,"lon":151.250000000,"altHAE":40.0000,"epx":3.920,"epy":3.920,"epv":5.880,"eph":4.895}}"#
            ])
        #expect(file.trace.start?.nanoseconds == 1_714_557_602_000_000_000)
        #expect(file.remarks.count == 2)
        #expect(file.remarks.contains { $0.contains("other.Thing (json)") })
    }

    @Test("Eight kinds of unsupported messages are listed, and the others are counted", arguments: [8, 10])
    func manyKinds(kinds: Int) throws {
        let location = #"{"timestamp":{"sec":1714557601,"nsec":0},"latitude":50,"longitude":8,"altitude":40}"#
        let bytes = try Self.foreign { writer in
            let fix = writer.channel(
                topic: "/fix", schema: writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix))
            try writer.message(fix, logged: 1, published: 0, [UInt8](location.utf8))
            for kind in 0..<kinds {
                let other = writer.channel(
                    topic: "/other\(kind)", schema: writer.schema(name: "other.\(kind)", json: "{}"))
                for _ in 0..<3 { try writer.message(other, logged: 2, published: 0, [UInt8]("{}".utf8)) }
            }
        }
        let remarks = try RecordingFile.read(bytes, name: "t").remarks
        #expect(remarks.filter { $0.hasPrefix("3 messages of other.") }.count == 8)
        let rest = remarks.filter { $0.hasSuffix("messages of other kinds were skipped.") }
        #expect(rest == (kinds == 8 ? [] : ["6 messages of other kinds were skipped."]))
    }

    @Test("Positions in Protocol Buffers are read, with zero for omitted fields")
    func protobuf() throws {
        // Written by Python's foxglove-schemas-protobuf 0.4.0: timestamp 1714557600.5 s, frame "gps", 33.5 south,
        // 151.25 east, 40 m, covariance 4, 16 and 9 of type DIAGONAL_KNOWN, velocity (3, 4, -1), heading 1.
        let whole =
            "090000000000c040c0110000000000e862401900000000000044402248000000000000104000000000000000000000000000000000"
            + "0000000000000000000000000000304000000000000000000000000000000000000000000000000000000000000022402802320c08"
            + "a0a5c8b1061080cab5ee013a0367707351000000000000f03f5a1b09000000000000084011000000000000104019000000000000f0bf"
        // Only a latitude of 50.5. Fields with value 0 are omitted.
        let short = "090000000000404940"
        let bytes = try Self.foreign { writer in
            let schema = writer.schema(name: "foxglove.LocationFix", json: "{}")
            let fix = writer.channel(topic: "/fix", schema: schema, encoding: "protobuf")
            for (index, text) in [whole, short, "", "0900"].enumerated() {
                try writer.message(fix, logged: UInt64(index), published: 0, HexDigit.bytes(text.utf8))
            }
        }
        let file = try RecordingFile.read(bytes, name: "t")
        let lines = MCAPFiles.lines(file.trace).dropFirst()
        #expect(lines.count == 2)
        // 5 m/s at atan(3/4) = 36.8699 degrees. The errors are 1.959964 times 2, 4 and 3 m, and 2.447747 times the root
        // of 10 m².
        let first = try #require(lines.first)
        for part in [
            #""device":"gps","mode":3,"time":"2024-05-01T10:00:00.500Z","lat":-33.500000000,"lon":151.250000000"#,
            #""altHAE":40.0000"#, #""epx":3.920"#, #""epy":7.840"#, #""epv":5.880"#, #""track":36.8699"#,
            #""speed":5.000"#, #""climb":-1.000"#,
        ] { #expect(first.contains(part), "\(part) in \(first)") }
        #expect(lines.last?.contains(#""lat":50.500000000,"lon":0.000000000"#) == true)
        #expect(file.remarks.contains { $0.contains("2 messages could not be read") })
    }

    @Test("A file without supported messages is an error that lists its contents")
    func nothing() throws {
        let bytes = try Self.foreign { writer in
            let other = writer.channel(topic: "/imu", schema: writer.schema(name: "sensor_msgs/msg/Imu", json: "{}"))
            for time in 0..<3 { try writer.message(other, logged: UInt64(time), published: 0, [UInt8]("{}".utf8)) }
        }
        let error = #expect(throws: DeviceError.self) { try RecordingFile.read(bytes, name: "t.mcap") }
        #expect(error?.code == .invalidTrace)
        #expect(error?.message.contains("3 of sensor_msgs/msg/Imu (json)") == true)
    }

    @Test("Positions derived from gpsd's reports are read only if those reports are missing")
    func derived() throws {
        var trace = try MCAPFiles.trace()
        for keepsReports in [true, false] {
            let bytes = try Self.foreign { writer in
                let schema = writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix)
                let gpsd = writer.channel(topic: "/gpsd", schema: writer.schema(name: "gpsd.Report", json: "{}"))
                let fix = writer.channel(topic: "/gps/fix", schema: schema, metadata: [("derived-from", "/gpsd")])
                let line = #"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}"#
                let location =
                    #"{"timestamp":{"sec":1,"nsec":0},"frame_id":"gps","latitude":1,"longitude":2,"altitude":0,"position_covariance":[0,0,0,0,0,0,0,0,0],"position_covariance_type":0}"#
                if keepsReports { try writer.message(gpsd, logged: 5, published: 5, [UInt8](line.utf8)) }
                try writer.message(fix, logged: 5, published: 5, [UInt8](location.utf8))
            }
            trace = try RecordingFile.read(bytes, name: "t").trace
            let lines = MCAPFiles.lines(trace).dropFirst()
            #expect(lines.count == 1)
            #expect(lines.first?.contains(keepsReports ? #""lat":1.0,"# : #""lat":1.000000000,"#) == true)
        }
    }

    @Test("A derived channel is ignored, even if it precedes the channel that it is derived from")
    func derivedFirst() throws {
        let bytes = try Self.foreign { writer in
            let schema = writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix)
            let gpsd = writer.channel(topic: "/gpsd", schema: writer.schema(name: "gpsd.Report", json: "{}"))
            let fix = writer.channel(topic: "/gps/fix", schema: schema, metadata: [("derived-from", "/gpsd")])
            for time in 0..<3 as Range<UInt64> {
                try writer.message(
                    fix, logged: time, published: 0,
                    [UInt8](#"{"timestamp":{"sec":1,"nsec":0},"latitude":1,"longitude":2,"altitude":0}"#.utf8))
                try writer.message(
                    gpsd, logged: time, published: 0, [UInt8](#"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}"#.utf8))
            }
        }
        let lines = MCAPFiles.lines(try RecordingFile.read(bytes, name: "t").trace).dropFirst()
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains(#""lat":1.0,"#) }, "\(lines)")
    }

    @Test("A truncated file yields the events before the cut")
    func cut() throws {
        let bytes = try MCAPFiles.bytes(of: try MCAPFiles.trace())
        let whole = MCAPFiles.lines(try RecordingFile.read(bytes, name: "t").trace)
        var counts: Set<Int> = []
        for length in stride(from: 8, to: bytes.count, by: 7) {
            guard let file = try? RecordingFile.read([UInt8](bytes.prefix(length)), name: "t") else {
                // Without its metadata, the file is not identified as a trace.
                #expect(length < 1000)
                continue
            }
            let lines = MCAPFiles.lines(file.trace)
            #expect(whole.dropFirst().starts(with: lines.dropFirst()))
            #expect(lines.count == whole.count || file.remarks.contains { $0.contains("is truncated") })
            counts.insert(lines.count)
        }
        #expect(counts.count > 8)
    }

    @Test("Zeros left by a power failure are not records, and a remark reports them")
    func zeros() throws {
        let bytes = try MCAPFiles.bytes(of: try MCAPFiles.trace())
        let end = try #require(bytes.firstRange(of: Array("regained".utf8))?.upperBound)
        let file = try RecordingFile.read(bytes.prefix(end) + [UInt8](repeating: 0, count: 4096), name: "t")
        #expect(MCAPFiles.lines(file.trace).count > 9)
        #expect(!file.remarks.isEmpty)
    }

    @Test("Damage is reported, and random changes never crash the process")
    func damage() throws {
        let bytes = try MCAPFiles.bytes(of: try MCAPFiles.trace())
        var damaged = bytes
        let at = try #require(bytes.firstRange(of: Array("0.0035".utf8))?.lowerBound)
        damaged[at] = UInt8(ascii: "7")
        let remarks = try RecordingFile.read(damaged, name: "t").remarks
        #expect(remarks == ["1 chunks have a wrong checksum: their contents may be damaged."])
        var generator = TestRandom()
        for _ in 0..<Thoroughness.rounds(3000, quick: 300) {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                broken[Int.random(in: 8..<broken.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? RecordingFile.read(broken, name: "t")
        }
    }

    /// Returns a file of these records. A length may differ from that of the contents.
    private static func file(_ records: [(code: MCAP.Opcode, length: UInt64?, contents: [UInt8])]) -> [UInt8] {
        var file = MCAPRecordBuilder()
        file.raw(MCAP.magic)
        for record in records {
            file.number(record.code.rawValue)
            file.number(record.length ?? UInt64(record.contents.count))
            file.raw(record.contents)
        }
        return file.bytes
    }

    private static func chunk(size: UInt64, _ records: [UInt8]) -> [UInt8] {
        var chunk = MCAPRecordBuilder()
        for _ in 0..<3 { chunk.number(UInt64(0)) }
        chunk.number(UInt32(0))
        chunk.text("")
        chunk.number(size)
        chunk.raw(records)
        return chunk.bytes
    }

    @Test("Impossible lengths allocate no memory and give one remark")
    func lengths() throws {
        var channel = MCAPRecordBuilder()
        channel.number(UInt16(1))
        channel.number(UInt16(0))
        channel.text("/gpsd")
        channel.text("json")
        channel.map([])
        var message = MCAPRecordBuilder()
        message.number(UInt16(1))
        message.number(UInt32(0))
        message.number(UInt64.max)
        message.number(UInt64.max)
        message.raw(#"{"class":"TPV","mode":1}"#.utf8)
        let valid = Self.file([(.channel, nil, channel.bytes), (.message, nil, message.bytes)])
        #expect(MCAPFiles.lines(try RecordingFile.read(valid, name: "t").trace).count == 2)

        for length: UInt64 in [.max, .max - 8, 1 << 63, 1 << 40, 1 << 24] {
            for code in [MCAP.Opcode.message, .chunk, .schema, .channel, .metadata, .attachment, .statistics] {
                // The records before it are read.
                let bytes = valid + Self.file([(code, length, [1, 0, 0, 0])]).dropFirst(8)
                let file = try RecordingFile.read(bytes, name: "t")
                #expect(MCAPFiles.lines(file.trace).count == 2)
                #expect(file.remarks.contains { $0.contains("is truncated") }, "\(code) \(length)")
            }
        }
        // A chunk that claims to be larger than its record, and a record that is larger than its chunk.
        let inner = Array(valid.dropFirst(8))
        let over = try RecordingFile.read(
            Self.file([(.chunk, nil, Self.chunk(size: 1 << 50, inner)), (.dataEnd, nil, [0, 0, 0, 0])]), name: "t")
        #expect(MCAPFiles.lines(over.trace).count == 2 && over.remarks.count == 1)
        let beyond = inner + [MCAP.Opcode.message.rawValue, 255, 0, 0, 0, 0, 0, 0, 0, 1, 0]
        let out = try RecordingFile.read(
            Self.file([
                (.chunk, nil, Self.chunk(size: UInt64(beyond.count), beyond)), (.dataEnd, nil, [0, 0, 0, 0]),
            ]), name: "t")
        #expect(MCAPFiles.lines(out.trace).count == 2 && out.remarks.count == 1)
        // Strings longer than their records, messages too short for a time, and empty contents.
        for code in [MCAP.Opcode.message, .chunk, .schema, .channel, .metadata, .dataEnd, .footer, .header] {
            for contents in [[], [1, 0, 1, 0, 255, 255, 255, 255], [UInt8](repeating: 255, count: 60)] {
                let bytes = valid + Self.file([(code, nil, contents)]).dropFirst(8)
                #expect(MCAPFiles.lines(try RecordingFile.read(bytes, name: "t").trace).count == 2)
            }
        }
    }

    /// Returns a channel of gpsd's reports and a message on it.
    private static func gpsd(_ text: [UInt8]) -> [(code: MCAP.Opcode, length: UInt64?, contents: [UInt8])] {
        var channel = MCAPRecordBuilder()
        channel.number(UInt16(1))
        channel.number(UInt16(0))
        channel.text("/gpsd")
        channel.text("json")
        channel.map([])
        var message = MCAPRecordBuilder()
        message.number(UInt16(1))
        message.number(UInt32(0))
        message.number(UInt64(1))
        message.number(UInt64(1))
        message.raw(text)
        return [(.channel, nil, channel.bytes), (.message, nil, message.bytes)]
    }

    @Test("Reports on several lines are written as one line, and invalid JSON objects are counted")
    func lines() throws {
        let formatted = "\n{\r\n  \"class\" : \"TPV\",\n\t\"device\": \"/dev/a \\\"b\\\\\",\n  \"mode\": 1\n}\n"
        let texts = [formatted, "{\"class\":\"TPV\",", "[1]", "{\"class\":\"SKY\"} x", "{ \"class\": \"SKY\" }"]
        let file = try RecordingFile.read(Self.file(texts.flatMap { Self.gpsd([UInt8]($0.utf8)) }), name: "t")
        #expect(
            MCAPFiles.lines(file.trace).dropFirst() == [
                #"{"t":0.000000000,"gpsd":{"class":"TPV","device":"/dev/a \"b\\","mode":1}}"#,
                #"{"t":0.000000000,"gpsd":{ "class": "SKY" }}"#,
            ])
        #expect(file.remarks.contains("3 messages could not be read and were skipped."))
    }

    @Test("A message too large for a report is skipped without allocating memory")
    func largeMessage() throws {
        let records = Self.gpsd(Array(#"{"class":"TPV","mode":1}"#.utf8))
        let valid = Self.file(records)
        // 15 MiB of zeros on the same channel.
        let size = 15 << 20
        var head = MCAPRecordBuilder()
        head.number(MCAP.Opcode.message.rawValue)
        head.number(UInt64(size + 22))
        head.raw(records[1].contents.prefix(22))
        let source = { (_: Int) -> any ByteSource in
            HoledSource(valid + head.bytes, hole: size, Array(valid.dropFirst(8)), largest: 1 << 17)
        }
        let builder = TraceBuilder(name: "t")
        let remarks = try MCAPImport.read(.stream(name: "t", open: source), into: builder)
        #expect(remarks.contains("1 messages are larger than 1048576 bytes and were skipped."))
        #expect(MCAPFiles.lines(try builder.file()).count == 3)
    }

    @Test("Messages before the start of the recording are moved to the start and counted")
    func early() throws {
        let header =
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2024-05-01T10:00:00Z","boot":1.0}}"#
        let line = #"{"class":"TPV","mode":2,"lat":1.0,"lon":2.0}"#
        let bytes = try Self.foreign { writer in
            try writer.metadata(name: MCAP.metadataName, [("header", header)])
            let gpsd = writer.channel(topic: "/gpsd", schema: writer.schema(name: "gpsd.Report", json: "{}"))
            // A time in 1974, the start, and half a second after the start.
            for time: UInt64 in [0x01ff_ffff_ffff_ffff, 1_714_557_600_000_000_000, 1_714_557_600_500_000_000] {
                try writer.message(gpsd, logged: time, published: 0, [UInt8](line.utf8))
            }
        }
        let file = try RecordingFile.read(bytes, name: "t")
        let times = MCAPFiles.lines(file.trace).dropFirst().map { $0.prefix(17) }
        #expect(times == [#"{"t":0.000000000,"#, #"{"t":0.000000000,"#, #"{"t":0.500000000,"#])
        #expect(file.remarks == ["1 messages precede the start of the recording and were placed at the start."])
    }

    @Test("Events that wait for sorting are limited by their size in bytes")
    func waiting() {
        var sorter = EventSorter()
        var given: [Int64] = []
        for time in 0..<40 as Range<Int64> {
            let line = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
            sorter.insert(.init(event: TraceEvent(time: nil, .gpsd(line))), at: 40 - time)
            while let (_, time) = sorter.nextIfFull() { given.append(time) }
            #expect(sorter.size <= 8 << 20)
        }
        #expect(given.count == 33)
        while let (_, time) = sorter.next() { given.append(time) }
        #expect(given.count == 40 && given == given.sorted())
        #expect(sorter.size == 0)
    }

    /// Returns the line that is read for a fix with these members.
    private static func fix(_ members: String) throws -> String {
        let bytes = try foreign { writer in
            let channel = writer.channel(
                topic: "/fix", schema: writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix))
            let text =
                #"{"timestamp":{"sec":1714557600,"nsec":0},"frame_id":"gps","latitude":1,"longitude":2,\#(members)}"#
            try writer.message(channel, logged: 1_714_557_600_000_000_000, published: 0, [UInt8](text.utf8))
        }
        return MCAPFiles.lines(try RecordingFile.read(bytes, name: "t").trace).dropFirst().joined()
    }

    @Test("Zero and huge deviations are unknown, and directions are normalized")
    func unknown() throws {
        let zeros = try Self.fix(
            #""altitude":7,"position_covariance":[0,0,0,0,0,0,0,0,0],"position_covariance_type":2,"heading":7.5"#)
        // 7.5 rad are 429.7183 degrees, which is normalized to 69.7183.
        #expect(zeros.contains(#""mode":3,"#) && zeros.contains(#""altHAE":7.0000,"track":69.7183}}"#))
        let flat = try Self.fix(
            #""altitude":0,"position_covariance":[25,0,0,0,25,0,0,0,1e12],"position_covariance_type":2,"heading":-1"#)
        #expect(flat.contains(#""mode":2,"#) && !flat.contains("alt") && !flat.contains("epv"))
        #expect(flat.contains(#""epx":9.800,"epy":9.800,"track":302.7042,"eph":12.239}}"#))
        // An altitude of zero above the ellipsoid, with a known deviation.
        let zero = try Self.fix(
            #""altitude":0,"position_covariance":[25,0,0,0,25,0,0,0,4],"position_covariance_type":2"#)
        #expect(zero.contains(#""altHAE":0.0000,"#) && zero.contains(#""epv":3.920"#))
    }

    @Test("Missing speed and course are derived from the positions, separately for each receiver")
    func direction() throws {
        let bytes = try Self.foreign { writer in
            let channel = writer.channel(
                topic: "/fix", schema: writer.schema(name: "foxglove.LocationFix", json: FoxgloveSchema.locationFix))
            for second in 0..<3 as Range<UInt64> {
                for (name, longitude) in [("a", Double(second) / 1000), ("b", 90)] {
                    let text =
                        #"{"timestamp":{"sec":\#(1_714_557_600 + second * 2),"nsec":0},"frame_id":"\#(name)","latitude":0,"longitude":\#(longitude),"altitude":5,"position_covariance":[0,0,0,0,0,0,0,0,0],"position_covariance_type":0}"#
                    try writer.message(channel, logged: second, published: 0, [UInt8](text.utf8))
                }
            }
        }
        let read = try RecordingFile.read(bytes, name: "t")
        let positions = ReadPositions(read.trace, remarks: read.remarks)
        // On the equator: 6378137 m * 0.001 * pi / 180 = 111.3195 m in two seconds, due east.
        let moving = positions.fixes.filter { $0.receiver == "a" }
        #expect(moving.map(\.speed).dropFirst() == [55.66, 55.66] && moving[0].speed.isNaN)
        #expect(moving.map(\.track).dropFirst() == [90, 90] && moving[2].climb == 0)
        #expect(positions.fixes.filter { $0.receiver == "b" }.map(\.speed).dropFirst() == [0, 0])
        #expect(positions.hasRemark("4 positions have a speed, course or climb derived from the previous position."))
    }

    @Test("A large file is read in pieces")
    func chunks() throws {
        let trace = try MCAPFiles.trace()
        let bytes = try MCAPFiles.bytes(of: trace)
        let end = try #require(bytes.firstRange(of: [MCAP.Opcode.dataEnd.rawValue, 4, 0, 0, 0, 0, 0, 0, 0]))
        // An attachment of 32 MiB between the data and the end of the data section.
        let size = 1 << 25
        var head = MCAPRecordBuilder()
        head.number(MCAP.Opcode.attachment.rawValue)
        head.number(UInt64(size))
        let parts = [Array(bytes[..<end.lowerBound]) + head.bytes, Array(bytes[end.lowerBound...])]
        let source = { (offset: Int) -> any ByteSource in HoledSource(parts[0], hole: size, parts[1]) }
        let builder = TraceBuilder(name: "t")
        let remarks = try MCAPImport.read(.stream(name: "t", open: source), into: builder)
        // The checksum of the data does not include the attachment.
        #expect(remarks == ["The checksum of the file's data is wrong: its contents may be damaged."])
        #expect(MCAPFiles.lines(try builder.file()).dropFirst() == MCAPFiles.lines(trace).dropFirst())
    }
}

/// A source of bytes, a run of zeros, and further bytes.
private final class HoledSource: ByteSource {
    private let parts: [[UInt8]]
    private let hole: Int
    private var offset = 0
    /// The maximum number of bytes that may be requested in one call.
    private let largest: Int

    init(_ first: [UInt8], hole: Int, _ last: [UInt8], largest: Int = 1 << 24) {
        parts = [first, last]
        self.hole = hole
        self.largest = largest
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(DeviceError) -> Int {
        #expect(buffer.count <= largest)
        let (first, second) = (parts[0].count, parts[0].count + hole)
        let count: Int
        if offset < first {
            count = min(buffer.count, first - offset)
            parts[0].withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
            }
        } else if offset < second {
            count = min(buffer.count, second - offset)
            _ = buffer.prefix(count).initializeMemory(as: UInt8.self, repeating: 0)
        } else {
            let start = offset - second
            count = min(buffer.count, parts[1].count - start)
            parts[1].withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
        }
        offset += count
        return count
    }
}
