// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
import Testing

@Suite("Line framing")
struct LineFramerTests {
    private struct Stop: Error {}

    /// Feeds each piece in a separate read and returns the lines.
    private static func lines(_ framer: inout LineFramer, _ chunks: [[UInt8]]) -> [String] {
        var lines: [String] = []
        for chunk in chunks {
            let count = framer.read { space in
                space.copyBytes(from: chunk)
                return chunk.count
            }
            #expect(count == chunk.count)
            while framer.nextLine({ lines.append(String(decoding: $0, as: UTF8.self)) }) {}
        }
        return lines
    }

    private static func lines(_ text: String, chunks size: Int, limit: Int = 1 << 20) -> (
        lines: [String], discarded: Int
    ) {
        var framer = LineFramer(limit: limit)
        let bytes = [UInt8](text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { [UInt8](bytes[$0..<min($0 + size, bytes.count)]) }
        let lines = lines(&framer, chunks)
        return (lines, framer.discardedLines)
    }

    @Test("Lines end with LF or CR LF, empty lines are skipped, and an unfinished line is kept", arguments: 1...20)
    func splitsLines(size: Int) {
        let result = Self.lines("a\r\n\r\n\n bc \n\r\r\nd\re\nf\n\nunfinished", chunks: size)
        #expect(result.lines == ["a", " bc ", "\r", "d\re", "f"])
        #expect(result.discarded == 0)
    }

    @Test("Two reports split between two reads at any byte are framed correctly")
    func splitsReportsAnywhere() throws {
        let reports = try Corpus.lines().filter { $0.isReport && $0.bytes.count > 200 }.prefix(2).map(\.bytes)
        let stream = reports[0] + [13, 10] + reports[1] + [13, 10]
        for truncated in 0...stream.count {
            var framer = LineFramer()
            let lines = Self.lines(&framer, [[UInt8](stream[..<truncated]), [UInt8](stream[truncated...])])
            #expect(lines.map { [UInt8]($0.utf8) } == reports)
        }
    }

    @Test("A line over the limit is dropped and counted, and its neighbours are kept", arguments: [1, 2, 3, 7, 1000])
    func dropsLongLines(size: Int) {
        let text = "12345\r\n123456\n1234567890\r\n12345\n123456\r\nab\n"
        let result = Self.lines(text, chunks: size, limit: 5)
        #expect(result.lines == ["12345", "12345", "ab"])
        #expect(result.discarded == 3)
    }

    @Test("An endless line does not grow the buffer beyond its limit", arguments: [1 << 10, 1 << 20])
    func boundsMemory(limit: Int) {
        var framer = LineFramer(limit: limit)
        var largest = 0
        for _ in 0..<1024 {
            _ = framer.read { space in
                largest = max(largest, space.count)
                space.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "x"))
                return space.count
            }
            #expect(!framer.nextLine { _ in Issue.record("there is no line") })
        }
        #expect(largest <= 4 * max(limit, LineFramer.minimumSpace))
        #expect(framer.discardedLines == 1)
        #expect(Self.lines(&framer, [[UInt8]("x\nnext\n".utf8)]) == ["next"])
    }

    @Test("Lines of 64 KiB and more are framed, and each read gets at least 16 KiB of buffer space")
    func passesLongLines() {
        for length in [64 * 1024, 300_000, 1 << 20] {
            var framer = LineFramer()
            var rest = [UInt8](repeating: UInt8(ascii: "y"), count: length) + [10, 122, 10]
            var lengths: [Int] = []
            while !rest.isEmpty {
                _ = framer.read { space in
                    #expect(space.count >= 16 * 1024)
                    let count = min(space.count, 1448, rest.count)
                    space.copyBytes(from: rest.prefix(count))
                    rest.removeFirst(count)
                    return count
                }
                while framer.nextLine({ lengths.append($0.count) }) {}
            }
            #expect(lengths == [length, 1])
        }
    }

    @Test("A line of 1 MiB that arrives byte by byte is scanned only once")
    func searchesOnce() {
        // Scanning from the start of the line after each byte would examine 5 * 10^11 bytes.
        var framer = LineFramer()
        var lengths: [Int] = []
        for index in 0...1 << 20 {
            _ = framer.read { space in
                space[0] = UInt8(ascii: index == 1 << 20 ? "\n" : "z")
                return 1
            }
            while framer.nextLine({ lengths.append($0.count) }) {}
        }
        #expect(lengths == [1 << 20])
    }

    @Test("Empty, failed and throwing reads keep the unfinished line")
    func survivesEmptyReads() {
        var framer = LineFramer()
        #expect(Self.lines(&framer, [[UInt8]("ab".utf8)]) == [])
        #expect(framer.read { _ in 0 } == 0)
        #expect(framer.read { _ in -1 } == -1)
        #expect(throws: Stop.self) { try framer.read { _ throws(Stop) in throw Stop() } }
        #expect(Self.lines(&framer, [[UInt8]("c\n".utf8)]) == ["abc"])
        // A byte count beyond the buffer space is clamped.
        #expect(framer.read { _ in Int.max } == Int.max)
        framer.reset()
        #expect(Self.lines(&framer, [[UInt8]("d\n".utf8)]) == ["d"])
    }

    @Test("A line whose handler throws is consumed, and the next line is returned")
    func survivesThrowingReaders() {
        var framer = LineFramer()
        let bytes = [UInt8]("one\ntwo\n".utf8)
        _ = framer.read { space in
            space.copyBytes(from: bytes)
            return bytes.count
        }
        #expect(throws: Stop.self) { try framer.nextLine { _ throws(Stop) in throw Stop() } }
        #expect(Self.lines(&framer, [[]]) == ["two"])
    }

    @Test("A reset discards the unfinished line, even one that is being dropped")
    func resets() {
        var framer = LineFramer(limit: 4)
        #expect(Self.lines(&framer, [[UInt8]("ab".utf8)]) == [])
        framer.reset()
        #expect(Self.lines(&framer, [[UInt8]("cd\n1234567".utf8)]) == ["cd"])
        framer.reset()
        #expect(Self.lines(&framer, [[UInt8]("ef\n".utf8)]) == ["ef"])
        #expect(framer.discardedLines == 1)
    }
}
