// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Trace
@testable import TraceFormats

/// Each reader has a process of its own, in which nobody else needs memory.
@Suite(
    "Files of any length in little memory", .serialized,
    .enabled(if: Memory.canBeMeasured, "the system does not tell how much memory was in use"), .timeLimit(.minutes(10)))
struct LargeFileTests {
    @Test("GPX")
    func gpx() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 6_000_000, limit: 4_096, "GPX") {
                LargeFile.gpx(hours: $0)
            } _: { text in
                // As GPXFile.trace does it.
                let chunks = LargeFile.chunks(text)
                var direct: GPXDirectImport? = GPXDirectImport(LargeFile.builder(), .init())
                let plan = try GPXPlan(try GPXSurvey(chunks, &direct), .init(), name: "large")
                let trace = plan.isInOrder ? try direct?.trace(from: plan.start) : nil
                return { trace.map { LargeFile.count($0) } ?? 0 }
            }
        }
        LargeFile.show(result)
    }

    @Test("GPX whose points are read a second time")
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

    @Test("NMEA 0183")
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
                    // Otherwise the whole log is looked through for a sentence that has a checksum.
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

    @Test("gpsd's JSON")
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

    @Test("Traces of our own")
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

    @Test("MCAP")
    func mcap() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try LargeFile.check(bytes: 24_000_000, limit: 18_432, "MCAP") { hours in
                func record(_ code: UInt8, _ contents: (inout MCAPRecord) -> Void) -> [UInt8] {
                    var inner = MCAPRecord()
                    contents(&inner)
                    var outer = MCAPRecord()
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
                // Sums that are zero were not worked out.
                let tail = record(15) { $0.number(UInt32(0)) } + record(2) { $0.raw([UInt8](repeating: 0, count: 20)) }
                return HourlyText(head: head, hours: hours, tail: tail + MCAP.magic) { second in
                    record(5) { message in
                        message.number(UInt16(1))
                        message.number(UInt32(second))
                        // The hours, seen as times, are all of 2024; messages of one time keep their order.
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

    @Test("Lists of satellites that announce more than there can be are not waited for")
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
            // A small one first, so that what is made once, the program's own pages among it, is there.
            _ = try NMEALog.read(log(100), name: "small", to: LargeFile.builder())
            let large = log(60_000)
            let growth = try Memory.growth { _ = try NMEALog.read(large, name: "large", to: LargeFile.builder()) }
            print("A list without an end: \(large.count / 1024) KiB are read in \(growth) KiB")
            #expect(growth < 4096)
        }
        LargeFile.show(result)
    }

    @Test("Somebody who keeps what was read would be noticed")
    func control() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = HourlyText(head: "", hours: 24) { "\(LargeFile.position($0))\n" }
            var kept: [[UInt8]] = []
            let growth = Memory.growth {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = buffer.withUnsafeMutableBytes({ text.read(into: $0) }), count > 0 {
                    kept.append([UInt8](buffer[..<count]))
                }
            }
            #expect(growth > text.count / 1024 * 9 / 10)
            withExtendedLifetime(kept) {}
        }
        LargeFile.show(result)
    }
}
