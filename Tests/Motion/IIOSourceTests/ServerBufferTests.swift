// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import Foundation
import SystemCalls
import Testing

@testable import IIOSource

@Suite("A capture over a connection of its own")
struct ServerBufferTests {
    /// What a server with four channels of sixteen bytes has said, before it is asked.
    private final class Server {
        let socket: Int32
        private let theirs: Int32

        init(_ answers: [UInt8] = []) throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, SocketKind.stream.quiet, 0, &ends) == 0)
            (socket, theirs) = (ends[0], ends[1])
            say(answers)
        }

        deinit { systemClose(theirs) }

        func say(_ answers: [UInt8]) {
            #expect(answers.withUnsafeBytes { systemSend(theirs, $0) } == answers.count || answers.isEmpty)
        }

        func hangUp() { shutdown(theirs, Int32(SHUT_WR)) }

        /// What it has been asked so far.
        func requests() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = bytes.withUnsafeMutableBytes { systemRead(theirs, $0) }
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        func buffer(samples: Int = 4, timeout: Double = 60) throws -> ServerBuffer {
            try ServerBuffer(
                socket, device: "iio:device0", channels: [0, 1, 2, 3], of: 4, step: 16, samples: samples,
                timeout: timeout)
        }
    }

    private func refill(_ buffer: ServerBuffer, reads: Int = 1_000) -> [UInt8]? {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var reads = reads
        let result = buffer.refill(&bytes, reads: &reads)
        guard result > 0 else { return nil }
        #expect(result == bytes.count)
        return Array(bytes)
    }

    private func failure(_ buffer: ServerBuffer) -> Int {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var reads = 1_000
        return buffer.refill(&bytes, reads: &reads)
    }

    @Test("Refill by refill out of the answer of a real iiod, however it comes", arguments: [1, 5, 77, 1_000])
    func golden(piece: Int) throws {
        // "64\n0000000f\n", four scans, "64\n", four scans.
        let answer = try Fixture.answer("READBUF iio:device0 128")
        try #require(answer.count == 143)
        let server = try Server(Array("0\n".utf8))
        let buffer = try server.buffer()
        // Asked at once, so that there is something to wait for; and for more than one refill, which come one by one.
        #expect(server.requests() == "OPEN iio:device0 4 0000000f\r\nREADBUF iio:device0 4096\r\n")
        var scans: [[UInt8]] = []
        for start in stride(from: 0, to: answer.count, by: piece) {
            server.say(Array(answer[start..<min(start + piece, answer.count)]))
            while let refill = refill(buffer) { scans.append(refill) }
            #expect(failure(buffer) == -Int(EAGAIN))
        }
        #expect(scans == [Array(answer[12..<76]), Array(answer[79..<143])])
        #expect(server.requests() == "")
    }

    @Test("What has been read is given without asking the system again")
    func memory() throws {
        let answer = try Fixture.answer("READBUF iio:device0 128")
        let server = try Server(Array("0\n".utf8))
        let buffer = try server.buffer()
        server.say(answer)
        #expect(refill(buffer, reads: 0) == nil)
        #expect(refill(buffer, reads: 1) == Array(answer[12..<76]))
        #expect(refill(buffer, reads: 0) == Array(answer[79..<143]))
        #expect(refill(buffer, reads: 0) == nil)
    }

    @Test("A server that gives all at once is asked for one refill at a time from then on")
    func unchunked() throws {
        let scans = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let server = try Server(Array("0\n4096\n0000000f\n".utf8) + scans)
        let buffer = try server.buffer()
        #expect(refill(buffer) == scans)
        server.say(Array("64\n0000000f\n".utf8) + scans.prefix(64))
        #expect(refill(buffer) == Array(scans.prefix(64)))
        let one = "READBUF iio:device0 64\r\n"
        #expect(server.requests().hasSuffix("READBUF iio:device0 4096\r\n" + one + one))
    }

    @Test("A server that gives less than it was asked for is asked anew")
    func remainder() throws {
        let scans = [UInt8](repeating: 3, count: 64)
        let server = try Server(
            Array("0\n64\n0000000f\n".utf8) + scans + Array("0\n64\n0000000f\n".utf8) + scans)
        let buffer = try server.buffer()
        #expect(refill(buffer) == scans)
        #expect(refill(buffer) == scans)
        #expect(server.requests().components(separatedBy: "READBUF").count == 3)
    }

    @Test(
        "What goes wrong is said as libiio says it",
        arguments: [
            ("-19\n", -19), ("64\n0000000f\n", -32), ("", -32), ("what?\n", -5), ("8192\n", -5), ("64\n00000007\n", -5),
            (String(repeating: "1", count: 5_000), -5), ("\n\n\n-110\n", -110),
        ] as [(String, Int)])
    func failures(answer: String, number: Int) throws {
        let server = try Server(Array(("0\n" + answer).utf8))
        let buffer = try server.buffer()
        server.hangUp()
        #expect(failure(buffer) == number)
        #expect(failure(buffer) < 0)
    }

    @Test("A capture that was called off says so, to who waits too")
    func cancel() throws {
        let server = try Server(Array("0\n".utf8))
        let buffer = try server.buffer()
        buffer.cancel()
        let wait = try #require(buffer.wait)
        #expect(!wait.wakeUp.wait(for: wait.descriptor, events: Int16(POLLIN), milliseconds: -1))
        #expect(failure(buffer) == -9)
        buffer.close()
        buffer.cancel()
    }

    @Test("A capture that is refused", arguments: [("-22\n", 22), ("-16\n", 16), ("", 32)] as [(String, Int32)])
    func refusals(answer: String, number: Int32) throws {
        let server = try Server(Array(answer.utf8))
        server.hangUp()
        let failure = #expect(throws: IIOFailure.self) { try server.buffer() }
        #expect(failure?.number == number)
    }

    @Test("A server that does not begin")
    func silence() throws {
        let server = try Server()
        let failure = #expect(throws: IIOFailure.self) { try server.buffer(timeout: 0.01) }
        #expect(failure?.number == ETIMEDOUT)
    }

    @Test("The mask has a bit for each channel's place, in words of eight digits, the last first")
    func masks() {
        // Those of the kernel's bmi160 with accel_x and the stamp, as libiio was seen to ask.
        #expect(String(decoding: ServerBuffer.mask([3, 6], of: 7), as: UTF8.self) == "00000048")
        // 1 << 35 | 1 << 31 | 1, by hand.
        #expect(String(decoding: ServerBuffer.mask([0, 31, 35], of: 36), as: UTF8.self) == "0000000880000001")
    }
}
#endif
