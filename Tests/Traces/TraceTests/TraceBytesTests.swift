// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing

@testable import Trace

@Suite("Bytes of trace files")
struct TraceBytesTests {
    @Test("A mapped file has the same bytes as one in memory, even after its pages are released")
    func mapped() throws {
        let folder = try Folder()
        let path = folder.file("a")
        let contents = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(contents).write(to: URL(fileURLWithPath: path))
        let bytes = try TraceBytes(path: path, largestInMemory: 1000)
        #expect(bytes.file != nil)
        #expect(try TraceBytes(path: path, largestInMemory: 300_000).file == nil)
        for range in [0..<0, 0..<1, 5000..<5001, 0..<200_000, 100_000..<300_000] {
            bytes.releaseMemory(of: range)
            #expect(Array(bytes) == contents)
            #expect(bytes.withUnsafeBytes { $0.elementsEqual(contents) })
        }
        #expect(bytes[299_999] == contents[299_999])
        #expect(bytes.count == 300_000)
        // The mapping stays valid after the file is removed.
        try FileManager.default.removeItem(atPath: path)
        #expect(bytes.last == contents.last)
    }

    @Test(
        "A pipe is read to its end, and stored in a file if it exceeds the memory limit",
        arguments: [0, 10, 90_000])
    func pipe(size: Int) throws {
        let folder = try Folder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for largest in [nil, 5000] {
            // The end of the pipe that is opened first blocks until the other one is open.
            try WorkerThread.start {
                let descriptor = systemOpen(path, O_WRONLY)
                try? TraceOutput(descriptor: descriptor, name: "pipe", isOwned: false).write(contents)
                systemClose(descriptor)
            }
            guard let largest else {
                #expect(try Array(TraceBytes(path: path)) == contents)
                continue
            }
            let descriptor = systemOpen(path, O_RDONLY)
            defer { systemClose(descriptor) }
            let bytes = try TraceBytes(stream: descriptor, name: "p", largestInMemory: largest, limit: size)
            #expect(Array(bytes) == contents)
            #expect((bytes.file != nil) == (size > largest))
        }
    }

    @Test("A pipe that is already open in this process is read after its writer has closed it")
    func ownDescriptor() throws {
        let folder = try Folder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Opens the reader without blocking, because there is no writer yet. The writer then writes and closes the
        // pipe.
        let reader = systemOpen(path, O_RDONLY | O_NONBLOCK)
        defer { systemClose(reader) }
        let writer = systemOpen(path, O_WRONLY)
        try TraceOutput(descriptor: writer, name: "pipe", isOwned: false).write([1, 2, 3])
        systemClose(writer)
        #expect(try Array(TraceBytes(path: "/dev/fd/\(reader)")) == [1, 2, 3])
    }

    @Test("An endless stream is an error when it exceeds the limit")
    func endless() throws {
        let descriptor = systemOpen("/dev/zero", O_RDONLY)
        defer { systemClose(descriptor) }
        let error = #expect(throws: DeviceError.self) {
            try TraceBytes(stream: descriptor, name: "zeros", largestInMemory: 1000, limit: 1_000_000)
        }
        #expect(error?.message == "zeros exceeds the limit of 1000000 bytes.")
    }

    @Test("A file that is truncated while it is read is read up to its new end, with a warning")
    func shrinks() throws {
        let folder = try Folder()
        let line = "{\"t\":1,\"gpsd\":\(tpv)}\n"
        let text = headerLine + "\n" + String(repeating: line, count: 2000)
        let path = folder.file("a")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let file = try TraceFile(contents: try TraceBytes(path: path, largestInMemory: 0), name: "a")
        let other = try TraceBytes(path: path, largestInMemory: 0)
        var cursor = TraceCursor(file)
        var count = 0
        file.bytes.withUnsafeBytes { bytes in
            while cursor.next(bytes) != nil {
                count += 1
                if count == 10 { #expect(truncate(path, 8192) == 0) }
            }
        }
        // The complete lines in the remaining pages.
        let whole = (8192 - headerLine.utf8.count - 1) / line.utf8.count
        #expect(count == whole)
        #expect(cursor.warnings.last?.reason == .fileTruncated)
        #expect(file.bytes.isTruncated)
        // The truncation is detected without reading beyond the end.
        #expect(other.isTruncated)
        #expect(other.last == 0)
        #expect(other.prefix(8192).elementsEqual(text.utf8.prefix(8192)))
    }

    @Test("A truncation is reported only once, even after the maximum number of stored warnings")
    func shrinksAfterWarnings() throws {
        let folder = try Folder()
        let text =
            headerLine + "\n" + String(repeating: "x\n", count: TraceCursor.maximumWarnings)
            + String(repeating: "{\"t\":1,\"gpsd\":\(tpv)}\n", count: 2000)
        let path = folder.file("a")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let file = try TraceFile(contents: try TraceBytes(path: path, largestInMemory: 0), name: "a")
        var cursor = TraceCursor(file)
        file.bytes.withUnsafeBytes { bytes in
            _ = cursor.next(bytes)
            #expect(truncate(path, 8192) == 0)
            for _ in 0..<3 { while cursor.next(bytes) != nil {} }
        }
        let message = TraceWarning.Reason.fileTruncated.message
        #expect(cursor.diagnostics.entries.filter { $0.message == message }.map(\.count) == [1])
    }

    @Test("A truncation within the last page is detected")
    func losesLittle() throws {
        let folder = try Folder()
        let path = folder.file("a")
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
        let bytes = try TraceBytes(path: path, largestInMemory: 0)
        #expect(!bytes.isTruncated)
        #expect(truncate(path, 4999) == 0)
        #expect(bytes.isTruncated)
    }

    @Test("A file without a size is read to its end, and stored in a file if it is large")
    func sizeless() throws {
        // Files in /proc have no size.
        let status = try TraceBytes(path: "/proc/self/status", largestInMemory: 10)
        #expect(String(decoding: status, as: UTF8.self).hasPrefix("Name:"))
        #expect(status.file != nil)
    }

    @Test("A mapped trace yields the same events as one in memory")
    func events() throws {
        let folder = try Folder()
        let text = headerLine + "\n" + String(repeating: "{\"t\":1,\"gpsd\":\(tpv)}\n", count: 2000)
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("a")))
        let bytes = try TraceBytes(path: folder.file("a"), largestInMemory: 0)
        let file = try TraceFile(contents: bytes, name: "a")
        #expect(file.bytes.file != nil)
        var cursor = TraceCursor(file)
        var count = 0
        file.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                count += 1
                #expect(String(decoding: record.line(in: bytes), as: UTF8.self) == tpv)
                if count % 100 == 0 { file.bytes.releaseMemory(of: 0..<record.range.upperBound) }
            }
        }
        #expect(count == 2000)
        #expect(cursor.warnings.isEmpty)
    }

    @Test("A trace that exceeds the memory limit is stored in an unnamed file and reads the same")
    func spilled() throws {
        let small = TraceBuilder(name: "t", limit: .max)
        let large = TraceBuilder(name: "t", limit: .max, largestInMemory: 500)
        for builder in [small, large] {
            try builder.write(TraceHeader())
            for second in 0..<1000 { try builder.write(TraceEvent(time: Int64(second) * 1_000_000_000, .regained)) }
        }
        let before = try large.file()
        #expect(before.bytes.file != nil)
        #expect(Array(before.bytes) == Array(try small.file().bytes))
        // Events written later are contained only in later traces.
        try large.write(TraceEvent(time: 1000 * 1_000_000_000, .regained))
        #expect(try large.file().bytes.count > before.bytes.count)
        #expect(Array(before.bytes) == Array(try small.file().bytes))
    }

    @Test("Overlong lines are skipped with a warning")
    func longLines() throws {
        let folder = try Folder()
        let path = folder.file("a")
        var contents = [UInt8]("\(headerLine)\n".utf8)
        contents += [UInt8](repeating: UInt8(ascii: "{"), count: TraceLines.maximumLength + 1)
        contents += [UInt8]("\n{\"t\":1,\"gpsd\":\(tpv)}\n".utf8)
        contents += [UInt8](repeating: 0x20, count: 3 * TraceLines.maximumLength)
        try Data(contents).write(to: URL(fileURLWithPath: path))
        let file = try TraceFile(contents: try TraceBytes(path: path, largestInMemory: 1), name: "a")
        var cursor = TraceCursor(file)
        let found = file.bytes.withUnsafeBytes { bytes in
            var lines: [String] = []
            while let record = cursor.next(bytes) {
                lines.append(String(decoding: record.line(in: bytes), as: UTF8.self))
            }
            return lines
        }
        #expect(found == [tpv])
        #expect(
            cursor.warnings == [
                TraceWarning(line: 2, reason: .lineTooLong), TraceWarning(line: 4, reason: .lineTooLong),
            ])
    }
}
