// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Trace
@testable import TraceFormats

/// Each reader runs in a separate process, so that no other test affects the measured memory.
@Suite(
    "Memory use with large files", .serialized,
    .enabled(if: Memory.canBeMeasured, "the system does not report the memory use"), .timeLimit(.minutes(10)))
struct LargeFileTests {
    @Test("GPX is read in bounded memory")
    func gpx() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 6_000_000, limit: 4_096, "GPX") {
                LargeFile.gpx(hours: $0)
            } _: { text in
                // Same steps as in GPXFile.trace.
                let chunks = LargeFile.chunks(text)
                var direct: GPXSinglePassImporter? = GPXSinglePassImporter(LargeFile.builder(), .init())
                let plan = try GPXSelection(try GPXSummary(chunks, &direct), .init(), name: "large")
                let trace = plan.isInOrder ? try direct?.trace(from: plan.start) : nil
                return { trace.map { LargeFile.count($0) } ?? 0 }
            }
        }
        LargeFile.show(result)
    }

    @Test("A second pass over GPX uses bounded memory")
    func gpxTwice() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 3_000_000, limit: 2_048, "GPX, twice") {
                LargeFile.gpx(hours: $0)
            } _: { text in
                let counter = LargeFile.Counter()
                _ = try GPXFile.read(LargeFile.chunks(text), .init(), to: counter)
                return { counter.events }
            }
        }
        LargeFile.show(result)
    }

    @Test("NMEA 0183 is read in bounded memory")
    func nmea() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 16_000_000, limit: 13_312, "NMEA") { hours in
                HourlyText(head: "# a log\r\n", hours: hours) { second in
                    "# \(String(repeating: "-", count: 160))\r\n$GPRMC,@H\(LargeFile.clock(second)).00,A,4800.\(LargeFile.digits(second)),N,01130.0000,E,10.0,90.0,@D0326,,,A\r\n$GPGGA,@H\(LargeFile.clock(second)).00,4800.\(LargeFile.digits(second)),N,01130.0000,E,1,,,500.0,M,45.0,M,,\r\n"
                }
            } _: { text in
                try LargeFile.mapped(text) { bytes in
                    let builder = LargeFile.builder()
                    // Otherwise the whole log is searched for a sentence with a checksum.
                    var options = NMEALogOptions()
                    options.allowsMissingChecksum = true
                    _ = try NMEALog.read(contents: bytes, name: "large", options: options, to: builder)
                    let trace = try builder.file()
                    return { LargeFile.count(trace) }
                }
            }
        }
        LargeFile.show(result)
    }

    @Test("gpsd's JSON is read in bounded memory")
    func reports() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 128_000_000, limit: 16_384, "gpsd's JSON") { hours in
                HourlyText(head: "", hours: hours) { "\(LargeFile.position($0))\n" }
            } _: { text in
                try LargeFile.mapped(text) { bytes in
                    let count = LargeFile.count(try TraceFile(contents: bytes, name: "large"))
                    return { count }
                }
            }
        }
        LargeFile.show(result)
    }

    @Test("Native traces are read in bounded memory")
    func native() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 48_000_000, limit: 16_384, "native trace") { hours in
                HourlyText(head: "{\"format\":\"device-services-trace\",\"version\":1}\n", hours: hours) { second in
                    "{\"t\":1@NN\(LargeFile.digits(second)).0,\"accelerometer\":[0.25,-0.5,9.75],\"stamp\":1@NN\(LargeFile.digits(second)).0}\n"
                }
            } _: { text in
                try LargeFile.mapped(text) { bytes in
                    let count = LargeFile.count(try TraceFile(contents: bytes, name: "large"))
                    return { count }
                }
            }
        }
        LargeFile.show(result)
    }

    @Test("MCAP is read in bounded memory")
    func mcap() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 24_000_000, limit: 18_432, "MCAP") { hours in
                func record(_ code: UInt8, _ contents: (inout MCAPRecordBuilder) -> Void) -> [UInt8] {
                    var inner = MCAPRecordBuilder()
                    contents(&inner)
                    var outer = MCAPRecordBuilder()
                    outer.number(code)
                    outer.number(UInt64(inner.bytes.count))
                    return outer.bytes + inner.bytes
                }
                var head = MCAP.magic
                head += record(1) { header in
                    header.text("")
                    header.text("other")
                }
                head += record(4) { channel in
                    channel.number(UInt16(1))
                    channel.number(UInt16(0))
                    channel.text(MCAP.gpsdTopic)
                    channel.text("json")
                    channel.map([])
                }
                // A checksum of zero means that none was computed.
                let tail = record(15) { $0.number(UInt32(0)) } + record(2) { $0.raw([UInt8](repeating: 0, count: 20)) }
                return HourlyText(head: head, hours: hours, tail: tail + MCAP.magic) { second in
                    record(5) { message in
                        message.number(UInt16(1))
                        message.number(UInt32(second))
                        // All messages have the same time in 2024, so they keep their order.
                        for _ in 0..<2 { message.number(UInt64(1_714_557_600_000_000_000)) }
                        message.raw([UInt8](LargeFile.position(second).utf8))
                    }
                }
            } _: { text in
                let builder = LargeFile.builder()
                _ = try MCAPImport.read(LargeFile.chunks(text), into: builder)
                let trace = try builder.file()
                return { LargeFile.count(trace) }
            }
        }
        LargeFile.show(result)
    }

    @Test("Satellite lists that announce an impossible number of sentences are not buffered")
    func endlessList() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            func log(_ sentences: Int) -> [UInt8] {
                var log = [UInt8]("$GPRMC,120000.00,A,4800.0000,N,01130.0000,E,10.0,90.0,230326,,,A\r\n".utf8)
                for number in 1...sentences {
                    log += "$GPGSV,999999999,\(number),99,01,40,083,46,02,17,308,41,12,07,344,39\r\n".utf8
                }
                return log
            }
            // Reads a small log first, so that one-time allocations, including the program's own pages, are complete.
            _ = try NMEALog.read(log(100), name: "small", to: LargeFile.builder())
            let large = log(60_000)
            let growth = try Memory.growth { _ = try NMEALog.read(large, name: "large", to: LargeFile.builder()) }
            print("A list without an end: \(large.count / 1024) KiB are read in \(growth) KiB")
            #expect(growth < 4096)
        }
        LargeFile.show(result)
    }

    @Test("The measurement detects data that is kept in memory")
    func control() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = HourlyText(head: "", hours: 24) { "\(LargeFile.position($0))\n" }
            var retained: [[UInt8]] = []
            let growth = Memory.growth {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = buffer.withUnsafeMutableBytes({ text.read(into: $0) }), count > 0 {
                    retained.append([UInt8](buffer[..<count]))
                }
            }
            #expect(growth > text.count / 1024 * 9 / 10)
            withExtendedLifetime(retained) {}
        }
        LargeFile.show(result)
    }
}
