// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls
import Testing

@testable import Trace

@Suite("Bytes that lie in a file")
struct TraceBytesTests {
    @Test("A large file is mapped and reads as a small one does, also where its memory was given back")
    func mapped() throws {
        let folder = try Folder()
        let path = folder.file("a")
        let contents = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(contents).write(to: URL(fileURLWithPath: path))
        let bytes = try TraceBytes(path: path, largestInMemory: 1000)
        #expect(bytes.file != nil)
        #expect(try TraceBytes(path: path, largestInMemory: 300_000).file == nil)
        for range in [0..<0, 0..<1, 5000..<5001, 0..<200_000, 100_000..<300_000] {
            bytes.forget(range)
            #expect(Array(bytes) == contents)
            #expect(bytes.withUnsafeBytes { $0.elementsEqual(contents) })
        }
        #expect(bytes[299_999] == contents[299_999])
        #expect(bytes.count == 300_000)
        // The name is not needed any more.
        try FileManager.default.removeItem(atPath: path)
        #expect(bytes.last == contents.last)
    }

    @Test(
        "A pipe is waited for and read to its end; what is too much for memory lies in a file",
        arguments: [0, 10, 90_000])
    func pipe(size: Int) throws {
        let folder = try Folder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for largest in [nil, 5000] {
            // Whichever of the two comes first waits for the other.
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

    @Test("A pipe that is open here already is read though its writer has gone")
    func ownDescriptor() throws {
        let folder = try Folder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Not blocking, since nobody writes yet; then the writer comes, writes, and is gone.
        let reader = systemOpen(path, O_RDONLY | O_NONBLOCK)
        defer { systemClose(reader) }
        let writer = systemOpen(path, O_WRONLY)
        try TraceOutput(descriptor: writer, name: "pipe", isOwned: false).write([1, 2, 3])
        systemClose(writer)
        #expect(try Array(TraceBytes(path: "/dev/fd/\(reader)")) == [1, 2, 3])
    }

    @Test("What has no end is not read for ever")
    func endless() throws {
        let descriptor = systemOpen("/dev/zero", O_RDONLY)
        defer { systemClose(descriptor) }
        let error = #expect(throws: DeviceError.self) {
            try TraceBytes(stream: descriptor, name: "zeros", largestInMemory: 1000, limit: 1_000_000)
        }
        #expect(error?.message == "zeros has more than 1000000 bytes, which is the limit.")
    }

    @Test("A file that becomes shorter while it is read is read to its new end, and says so")
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
        // All that is in the pages that are left.
        let whole = (8192 - headerLine.utf8.count - 1) / line.utf8.count
        #expect(count == whole)
        #expect(cursor.warnings.last?.reason == .becameShorter)
        #expect(file.bytes.isCutOff)
        // Nobody has to read behind its end for that.
        #expect(other.isCutOff)
        #expect(other.last == 0)
        #expect(other.prefix(8192).elementsEqual(text.utf8.prefix(8192)))
    }

    @Test("A file that loses no more than a few bytes of its last page says so too")
    func losesLittle() throws {
        let folder = try Folder()
        let path = folder.file("a")
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
        let bytes = try TraceBytes(path: path, largestInMemory: 0)
        #expect(!bytes.isCutOff)
        #expect(truncate(path, 4999) == 0)
        #expect(bytes.isCutOff)
    }

    @Test("A file that does not say how long it is is read to its end, and goes to a file when it is large")
    func sizeless() throws {
        // Of the system's files none has a size.
        let status = try TraceBytes(path: "/proc/self/status", largestInMemory: 10)
        #expect(String(decoding: status, as: UTF8.self).hasPrefix("Name:"))
        #expect(status.file != nil)
    }

    @Test("Events of a mapped trace are those of the same bytes in memory")
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
                if count % 100 == 0 { file.bytes.forget(0..<record.range.upperBound) }
            }
        }
        #expect(count == 2000)
        #expect(cursor.warnings.isEmpty)
    }

    @Test("A trace that is too large for memory goes to a file without a name, and reads the same")
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
        // What is written afterwards is in a later trace only.
        try large.write(TraceEvent(time: 1000 * 1_000_000_000, .regained))
        #expect(try large.file().bytes.count > before.bytes.count)
        #expect(Array(before.bytes) == Array(try small.file().bytes))
    }

    @Test("Lines without an end are left out with a warning")
    func longLines() throws {
        let folder = try Folder()
        let path = folder.file("a")
        var contents = [UInt8]("\(headerLine)\n".utf8)
        contents += [UInt8](repeating: UInt8(ascii: "{"), count: TraceLines.longest + 1)
        contents += [UInt8]("\n{\"t\":1,\"gpsd\":\(tpv)}\n".utf8)
        contents += [UInt8](repeating: 0x20, count: 3 * TraceLines.longest)
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
                TraceWarning(line: 2, reason: .longLine), TraceWarning(line: 4, reason: .longLine),
            ])
    }
}
