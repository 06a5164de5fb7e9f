// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
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
