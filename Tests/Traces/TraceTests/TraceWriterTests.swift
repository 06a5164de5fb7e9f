// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Trace

@Suite("Trace writer")
struct TraceWriterTests {
    private let clock = VirtualClock(now: BootTime(nanoseconds: 5_500_000_000))

    private func header() -> TraceHeader {
        TraceHeader(start: .init(wallTime: WallTime(nanoseconds: 1_795_232_362_000_000_001), boot: clock.now))
    }

    /// Valid and invalid lines from gpsd.
    static let lines: [[UInt8]] = [
        [UInt8](tpv.utf8), [UInt8](sky.utf8),
        [UInt8](#"{"class":"X","text":"Grüße, \"x\" \\ \u00e9 NaN } , \" nan"}"#.utf8),
        [UInt8]("{ \"class\" : \"TPV\" }".utf8), [UInt8](#"{"class":"TPV","lat":nan}"#.utf8),
        [UInt8](#"{"class":"TPV","lat":-Infinity}"#.utf8), [UInt8](#"{"class":"TPV","lat":inf}"#.utf8),
        [UInt8]("{\"class\":\"TPV\",\n\"a\":1}".utf8), [UInt8]("$GPGGA,1*00\r".utf8), [], [0],
        [0xff, 0xfe, 0x00, 0x0a],
        [UInt8]("{\"class\":\"X\",\"a\":\"".utf8) + [0xff, 0x22, 0x7d], [UInt8](" \(tpv)".utf8),
        [UInt8]("\(tpv) ".utf8),
        [UInt8]("{\"class\":\"TPV\"".utf8), [UInt8]("{\"class\":\"TPV\"}}".utf8),
        [UInt8]("{\"class\":\"TPV\"},{}".utf8),
        [UInt8]("{\"a\":\(String(repeating: "[", count: 63))\(String(repeating: "]", count: 63))}".utf8),
        [UInt8]("{\"a\":\(String(repeating: "[", count: 62))\(String(repeating: "]", count: 62))}".utf8),
        [UInt8]("\u{7f}\u{1}\u{1f}\u{2028}😀".utf8), [UInt8]("{}".utf8),
        [UInt8](#"{"a":null,"b":true,"c":false,"d":1E5}"#.utf8),
    ]

    @Test("Written lines are read back byte for byte, with exact times")
    func roundTrip() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(header())
        var time: Int64 = 0
        var times: [Int64] = []
        for line in Self.lines {
            try writer.write(.gpsd(line), at: time)
            times.append(time)
            time += 1_000_000_007
        }
        let loss = DeviceError(.silent, "gone \"}\n", cause: .system(call: "read", errno: 104))
        try writer.write(.lost(loss), at: time)
        try writer.write(.regained, at: time + 1)
        try writer.close()
        let file = try TraceFile(path: folder.file("a"))
        #expect(file.header == header())
        #expect(file.start?.nanoseconds == 1_795_232_362_000_000_001)
        var cursor = TraceCursor(file)
        try file.bytes.withUnsafeBytes { bytes in
            for (line, time) in zip(Self.lines, times) {
                let next = cursor.next(bytes)
                let record = try #require(next)
                #expect(record.time == time)
                #expect(record.line(in: bytes) == line)
                if record.kind == .gpsd { #expect(Array(bytes[record.range]) == line) }
            }
            var next = cursor.next(bytes)
            let record = try #require(next)
            #expect(record.time == time)
            #expect(record.loss(in: bytes)?.code == .silent)
            #expect(record.loss(in: bytes)?.message == loss.message)
            #expect(record.loss(in: bytes)?.cause == loss.cause)
            next = cursor.next(bytes)
            let last = try #require(next)
            #expect(last.kind == .regained)
            #expect(last.time == time + 1)
            next = cursor.next(bytes)
            #expect(next == nil)
        }
        #expect(cursor.warnings.isEmpty)
        #expect(cursor.skippedLines == 0)
    }

    @Test("Every line is valid JSON, and valid reports are written unchanged")
    func validJSON() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(header())
        for line in Self.lines { try writer.write(.gpsd(line), at: 12_000_000_123) }
        try writer.close()
        let lines = try folder.bytes("a").split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == Self.lines.count + 1)
        for line in lines {
            #expect(try JSONSerialization.jsonObject(with: Data(line)) is [String: Any])
        }
        #expect(String(decoding: lines[1], as: UTF8.self) == "{\"t\":12.000000123,\"gpsd\":\(tpv)}")
    }

    @Test("A file is overwritten only on request")
    func overwriting() throws {
        let folder = try Folder()
        try TraceWriter(path: folder.file("a"), clock: clock).close()
        let error = #expect(throws: DeviceError.self) { try TraceWriter(path: folder.file("a"), clock: clock) }
        #expect(error?.message.contains("already exists") == true)
        let writer = try TraceWriter(path: folder.file("a"), overwrite: true, clock: clock)
        try writer.write(header())
        try writer.close()
        #expect(try TraceFile(path: folder.file("a")).header == header())
    }

    @Test("A closed file can be overwritten while another process still has a copy of the descriptor")
    func copiedDescriptor() throws {
        let folder = try Folder()
        try TraceWriter(path: folder.file("a"), clock: clock).close()
        let first = try TraceWriter(path: folder.file("a"), overwrite: true, clock: clock)
        let copies = try DescriptorCopies(of: folder.file("a"))
        #expect(copies.count == 1)
        try first.close()
        try TraceWriter(path: folder.file("a"), overwrite: true, clock: clock).close()
        withExtendedLifetime(copies) {}
    }

    @Test("Errors distinguish a missing directory from a path to a directory")
    func badPaths() throws {
        let missing = #expect(throws: DeviceError.self) { try TraceWriter(path: "/nowhere/a", clock: clock) }
        #expect(missing?.code == .notFound)
        let isFolder = #expect(throws: DeviceError.self) {
            try TraceWriter(path: FileManager.default.temporaryDirectory.path, overwrite: true, clock: clock)
        }
        #expect(isFolder?.message.contains("directory") == true)
    }

    @Test("An event is written to the file within a second without further calls")
    func delay() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(header())
        #expect(try Reading(folder.bytes("a")).records.isEmpty)
        for round in 1...3 {
            try writer.write(.gpsd([UInt8](tpv.utf8)), at: 1)
            #expect(try Reading(folder.bytes("a")).records.count == round - 1)
            let limit = clock.now.advanced(bySeconds: 1)
            while clock.runNextTimer(upTo: limit) {}
            #expect(try Reading(folder.bytes("a")).records.count == round)
        }
        try writer.write(.gpsd([UInt8](tpv.utf8)), at: 1)
        try writer.flush()
        #expect(try Reading(folder.bytes("a")).records.count == 4)
    }

    @Test("The buffer is written when it is full")
    func capacity() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(header())
        for _ in 0..<10_000 { try writer.write(.gpsd([UInt8](tpv.utf8)), at: 1) }
        let written = try folder.bytes("a").count
        #expect(written > 10_000 * tpv.utf8.count - TraceWriter.flushThreshold)
    }

    @Test("A released writer leaves a complete trace")
    func released() throws {
        let folder = try Folder()
        do {
            let writer = try TraceWriter(path: folder.file("a"), clock: clock)
            try writer.write(header())
            try writer.write(.gpsd([UInt8](tpv.utf8)), at: 1)
        }
        #expect(try Reading(folder.bytes("a")).lines == [tpv])
    }

    @Test("Events before the header, a second header and calls after close() are errors")
    func order() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        #expect(throws: DeviceError.self) { try writer.write(.regained, at: 0) }
        try writer.write(header())
        #expect(throws: DeviceError.self) { try writer.write(header()) }
        try writer.write(.regained, at: 0)
        #expect(writer.failure == nil)
        try writer.close()
        try writer.close()
        #expect(throws: DeviceError.self) { try writer.write(.regained, at: 0) }
        #expect(try Reading(folder.bytes("a")).records.count == 1)
    }

    @Test(
        "A full disk is an error that names the cause, and all further calls fail",
        .enabled(if: access("/dev/full", W_OK) == 0, "there is no /dev/full"))
    func fullDisk() throws {
        let writer = try TraceWriter(path: "/dev/full", overwrite: true, clock: clock)
        let error = #expect(throws: DeviceError.self) { try writer.write(header()) }
        #expect(error?.message.contains("no space left") == true)
        #expect(error?.cause == .system(call: "write", errno: ENOSPC))
        #expect(writer.failure?.cause == error?.cause)
        #expect(throws: DeviceError.self) { try writer.write(.regained, at: 0) }
        #expect(throws: DeviceError.self) { try writer.close() }
    }

    @Test("A failure during a timed flush is reported to the handler once")
    func lateFailure() throws {
        let ends = try Pipe2()
        let writer = TraceWriter(descriptor: ends.write, name: "pipe", clock: clock)
        let failures = Mutex<[String]>([])
        writer.onFailure { error in failures.withLock { $0.append(error.message) } }
        try writer.write(header())
        try writer.write(.gpsd([UInt8](tpv.utf8)), at: 0)
        ends.closeReader()
        withoutBrokenPipeSignal {
            while clock.runNextTimer(upTo: clock.now.advanced(bySeconds: 1)) {}
        }
        #expect(failures.withLock { $0.count } == 1)
        #expect(failures.withLock { $0.first?.contains("The reader of the trace") } == true)
        let error = #expect(throws: DeviceError.self) { try writer.write(.regained, at: 0) }
        #expect(error?.cause == .system(call: "write", errno: EPIPE))
        #expect(failures.withLock { $0.count } == 1)
    }

    @Test("A pipe that accepts a few bytes at a time receives all bytes")
    func shortWrites() throws {
        let ends = try Pipe2()
        _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
        let writer = TraceWriter(descriptor: ends.write, name: "pipe", clock: clock)
        let long = [UInt8](
            ("{\"class\":\"X\",\"text\":\"" + String(repeating: "0123456789", count: 100_000) + "\"}").utf8)
        let received = Mutex<[UInt8]>([])
        let done = DispatchSemaphore(value: 0)
        let reader = ends.read
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reader, &buffer, buffer.count)
                guard count > 0 else { break }
                received.withLock { $0 += buffer[..<count] }
            }
            done.signal()
        }
        try writer.write(header())
        try writer.write(.gpsd(long), at: 7)
        try writer.close()
        ends.closeWriter()
        done.wait()
        let reading = try Reading(received.withLock { $0 })
        #expect(reading.times == [7])
        #expect(reading.lines.first?.utf8.count == long.count)
    }

    @Test("Concurrent threads write complete lines")
    func threads() throws {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(header())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<500 {
                try? writer.write(.gpsd([UInt8]("{\"class\":\"X\",\"n\":\(thread * 500 + number)}".utf8)), at: 1)
            }
        }
        try writer.close()
        let reading = try Reading(folder.bytes("a"))
        #expect(Set(reading.lines) == Set((0..<4000).map { "{\"class\":\"X\",\"n\":\($0)}" }))
        #expect(reading.warnings.isEmpty)
    }

    /// Runs the closure with SIGPIPE blocked in this thread, and discards a pending SIGPIPE.
    private func withoutBrokenPipeSignal(_ body: () -> Void) {
        var signals = sigset_t()
        var former = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        body()
        var none = timespec()
        _ = sigtimedwait(&signals, nil, &none)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}

/// Both ends of a pipe.
private final class Pipe2 {
    let read: Int32
    let write: Int32
    private var isReaderOpen = true
    private var isWriterOpen = true

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (read, write) = (ends[0], ends[1])
    }

    deinit {
        closeReader()
        closeWriter()
    }

    func closeReader() {
        if isReaderOpen { close(read) }
        isReaderOpen = false
    }

    func closeWriter() {
        if isWriterOpen { close(write) }
        isWriterOpen = false
    }
}
