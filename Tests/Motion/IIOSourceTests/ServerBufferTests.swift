// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import Foundation
import IIOFormat
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

@Suite("Captures over a separate connection", .timeLimit(.minutes(5)))
struct ServerBufferTests {
    /// Four channels with scans of 16 bytes, as recorded from a real iiod.
    private static let device: IIODevice = {
        let imu = Devices.imu()
        return IIODevice(id: "iio:device0", channels: Array(imu.channels[0..<3] + imu.channels[6...]))
    }()

    private func buffer(
        _ server: ScriptedServer, samples: Int = 4, capabilities: ServerCapabilities = ServerCapabilities()
    ) throws -> ServerBuffer {
        let buffer = try server.buffer(Self.device, [0, 1, 2, 3], samples: samples, capabilities: capabilities)
        try buffer.start()
        return buffer
    }

    private func refill(_ buffer: ServerBuffer, reads: Int = 1_000) -> [UInt8]? {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        let result = readRefill(buffer, &bytes, reads: reads)
        guard result > 0 else { return nil }
        #expect(result == bytes.count)
        return Array(bytes)
    }

    private func failure(_ buffer: ServerBuffer) -> Int {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        return readRefill(buffer, &bytes, reads: 1_000)
    }

    /// Calls `refill` again after EAGAIN, because the first EAGAIN may belong to the previous read.
    private func readRefill(_ buffer: ServerBuffer, _ bytes: inout UnsafeRawBufferPointer, reads: Int) -> Int {
        var reads = reads
        let result = buffer.refill(&bytes, reads: &reads)
        return result == -Int(EAGAIN) ? buffer.refill(&bytes, reads: &reads) : result
    }

    private static func bytes(_ count: Int, seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }
    }

    private static func reads(_ counts: [Int]) -> [String] { counts.map { "READBUF iio:device0 \($0)" } }

    /// Starts a capture and reads a refill of one scan. The next request is for two refills.
    private func begin(_ server: ScriptedServer, capabilities: ServerCapabilities = ServerCapabilities()) throws
        -> ServerBuffer
    {
        server.send("0\n")
        let buffer = try buffer(server, samples: 1, capabilities: capabilities)
        server.send("16\n0000000f\n", Self.bytes(16))
        #expect(refill(buffer) == Self.bytes(16))
        #expect(server.requests() == ["OPEN iio:device0 1 0000000f"] + Self.reads([16, 32]))
        return buffer
    }

    /// Expects that each refill of the given size is requested separately.
    private func expectOneByOne(_ server: ScriptedServer, _ buffer: ServerBuffer, size: Int) {
        for _ in 0..<8 {
            server.send("\(size)\n0000000f\n", Self.bytes(size))
            #expect(refill(buffer) == Self.bytes(size))
        }
        #expect(server.requests().dropFirst() == Self.reads(Array(repeating: size, count: 9))[...])
    }

    // MARK: Requests

    @Test("Refills are read from the response of a real iiod, however it is split", arguments: [1, 5, 77, 1_000])
    func golden(chunkSize: Int) throws {
        // "64\n0000000f\n", four scans, "64\n", four scans.
        let answer = try Fixture.answer("READBUF iio:device0 128")
        try #require(answer.count == 143)
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server)
        // The first refill is requested on start.
        #expect(server.requests() == ["OPEN iio:device0 4 0000000f"] + Self.reads([64]))
        var scans: [[UInt8]] = []
        let first = Array(answer[..<76])
        for answer in [first, answer] {
            for start in stride(from: 0, to: answer.count, by: chunkSize) {
                server.send(bytes: Array(answer[start..<min(start + chunkSize, answer.count)]))
                while let refill = refill(buffer) { scans.append(refill) }
                #expect(failure(buffer) == -Int(EAGAIN))
            }
        }
        #expect(scans == [Array(answer[12..<76]), Array(answer[12..<76]), Array(answer[79..<143])])
        // Two refills were received separately, so many are requested now.
        #expect(server.requests() == Self.reads([128, 4096]))
        for seed in 0..<64 {
            server.send(seed == 0 ? "64\n0000000f\n" : "64\n", Self.bytes(64, seed: seed))
            #expect(refill(buffer) == Self.bytes(64, seed: seed))
        }
        #expect(server.requests() == Self.reads([4096]))
    }

    @Test("Refills that have been received are returned without further reads")
    func memory() throws {
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server)
        server.send("64\n0000000f\n", Self.bytes(64), then: "64\n0000000f\n", Self.bytes(64, seed: 1))
        #expect(refill(buffer, reads: 0) == nil)
        #expect(refill(buffer, reads: 1) == Self.bytes(64))
        #expect(refill(buffer, reads: 0) == Self.bytes(64, seed: 1))
        #expect(refill(buffer, reads: 0) == nil)
    }

    @Test("A server that sends only complete responses receives requests for one refill, and rarely for two")
    func completeResponses() throws {
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server, samples: 1)
        var requestedSizes: [Int] = []
        for round in 0..<200 {
            let request = try #require(server.requests().last { $0.hasPrefix("READBUF") })
            let size = try #require(Int(request.split(separator: " ").last ?? ""))
            requestedSizes.append(size)
            server.send("\(size)\n0000000f\n", Self.bytes(size, seed: round))
            #expect(refill(buffer) == Self.bytes(size, seed: round))
        }
        #expect(requestedSizes[..<3] == [16, 32, 16])
        #expect(requestedSizes.allSatisfy { $0 <= 32 } && requestedSizes.count { $0 == 32 } <= 3)
    }

    @Test("A server that splits its responses is not mistaken for one that sends refills separately")
    func chunks() throws {
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server, samples: 16)
        expectOneByOne(server, buffer, size: 256)
    }

    @Test("A server without memory for two refills receives requests for one")
    func noSpace() throws {
        let server = try ScriptedServer()
        let buffer = try begin(server)
        server.send("-11\n")
        #expect(failure(buffer) == -Int(EAGAIN))
        #expect(server.requests() == Self.reads([16]))
        server.send("16\n0000000f\n", Self.bytes(16, seed: 9))
        #expect(refill(buffer) == Self.bytes(16, seed: 9))
    }

    @Test("After three captures without a response to requests for two refills, only one is requested")
    func unanswered() throws {
        let capabilities = ServerCapabilities()
        for _ in 0..<3 { _ = try begin(try ScriptedServer(), capabilities: capabilities) }
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server, samples: 1, capabilities: capabilities)
        expectOneByOne(server, buffer, size: 16)
    }

    // MARK: Responses

    @Test("After a response with less data than requested, the next request is sent")
    func remainder() throws {
        let server = try ScriptedServer()
        let buffer = try begin(server)
        for seed in 1...3 {
            server.send("16\n0000000f\n", Self.bytes(16, seed: seed), then: "0\n")
            #expect(refill(buffer) == Self.bytes(16, seed: seed))
            #expect(failure(buffer) == -Int(EAGAIN))
        }
        #expect(server.requests().count == 3)
    }

    @Test("Responses without samples are followed by larger requests, and finally by a failure")
    func emptyAnswers() throws {
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server, samples: 1)
        server.send("0\n0\n")
        #expect(failure(buffer) == -Int(EAGAIN))
        #expect(server.requests().dropFirst() == Self.reads([16, 32, 64])[...])
        server.send(String(repeating: "0\n", count: 100))
        #expect(failure(buffer) == -Int(EIO))
        #expect(server.requests().count < 8)
    }

    @Test("Scans that are split across chunks are reassembled", arguments: [1, 7, 16, 25, 256])
    func splitScans(chunkSize: Int) throws {
        // Seven channels: 6 x 2 bytes, 4 bytes of padding, 8 bytes.
        let all = Self.bytes(24 * 16)
        let server = try ScriptedServer("0\n")
        let buffer = try server.buffer(Devices.imu(), Array(0..<7), samples: 16, step: 24)
        try buffer.start()
        var received: [UInt8] = []
        for start in stride(from: 0, to: all.count, by: chunkSize) {
            let part = Array(all[start..<min(start + chunkSize, all.count)])
            server.send(start == 0 ? "\(part.count)\n0000007f\n" : "\(part.count)\n", part)
            while let refill = refill(buffer) {
                #expect(refill.count % 24 == 0)
                received += refill
            }
        }
        #expect(received == all)
        server.send("20\n0000007f\n", Self.bytes(20), then: "0\n")
        #expect(failure(buffer) == -Int(EIO))
    }

    @Test("If another client captures more channels, the requested ones are extracted from the scans")
    func otherClients() throws {
        func scan(_ number: Int16) -> (theirs: [UInt8], ours: [UInt8]) {
            let ours = Devices.scan(number, number + 1, number + 2, time: Int64(number) << 40)
            let rotation = [UInt8](repeating: 0xEE, count: 6)
            return (Array(ours[..<6]) + rotation + [0, 0, 0, 0] + Array(ours[8...]), ours)
        }
        let server = try ScriptedServer("0\n")
        let buffer = try server.buffer(Devices.imu(), [0, 1, 2, 6], samples: 1, step: 16)
        try buffer.start()
        #expect(server.requests() == ["OPEN iio:device0 1 00000047"] + Self.reads([16]))
        // A scan with all channels does not fit into the requested size.
        server.send("0\n24\n0000007f\n", scan(1).theirs, then: "0\n")
        #expect(refill(buffer).map(Self.visible) == Self.visible(scan(1).ours))
        #expect(failure(buffer) == -Int(EAGAIN))
        let requests = server.requests()
        #expect(requests.first == Self.reads([32]).first && requests.count == 2)
        server.send("48\n0000007f\n", scan(2).theirs + scan(3).theirs)
        #expect(refill(buffer).map(Self.visible) == Self.visible(scan(2).ours + scan(3).ours))
        // The other client has ended its capture.
        server.send("0\n16\n00000047\n", scan(4).ours)
        #expect(refill(buffer) == scan(4).ours)
    }

    /// Returns the scans without the two undefined padding bytes before the timestamp.
    private static func visible(_ scans: [UInt8]) -> [UInt8] {
        scans.enumerated().filter { ![6, 7].contains($0.offset % 16) }.map(\.element)
    }

    @Test(
        "Failures have the error numbers of libiio",
        arguments: [
            ("-19\n", -19), ("64\n0000000f\n", -32), ("", -32), ("what?\n", -5), ("8192\n", -5), ("64\n00000007\n", -5),
            ("64\n0000001f\n", -5), ("64\n0000000F\n", -5), ("64\n\n", -5), ("64\n0000000000000000f\n", -5),
            (String(repeating: "1", count: 5_000), -5), ("\n\n\n-110\n", -110), ("-11\n", -5),
            ("-9223372036854775808\n", -2_147_483_647), ("9223372036854775807\n", -5),
        ] as [(String, Int)])
    func failures(answer: String, number: Int) throws {
        let server = try ScriptedServer("0\n" + answer)
        let buffer = try buffer(server)
        server.hangUp()
        #expect(failure(buffer) == number)
        #expect(failure(buffer) < 0)
    }

    @Test("Random responses yield complete scans or a failure", arguments: 0..<64 as Range<UInt64>)
    func hostile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var answer = Array("0\n".utf8)
        let words = [
            "0\n", "16\n", "24\n", "64\n", "7\n", "-1\n", "-11\n", "0000000f\n", "0000007f\n", "00000047\n", "\r\n",
            "x",
            "99999999999999999999\n", "-9223372036854775808\n", "96\n0000007f\n", "64\n00000047\n",
        ]
        for _ in 0..<40 {
            let good = Bool.random(using: &random)
            answer +=
                good
                ? Array("64\n0000000f\n".utf8) + Self.bytes(64)
                : Array((words.randomElement(using: &random) ?? "").utf8)
        }
        if Bool.random(using: &random), let index = answer.indices.dropFirst(2).randomElement(using: &random) {
            answer[index] = .random(in: 0...255, using: &random)
        }
        let server = try ScriptedServer()
        server.send(bytes: answer)
        server.hangUp()
        let all = Int.random(in: 0..<2, using: &random) == 0
        let buffer = try server.buffer(
            Devices.imu(), all ? Array(0..<7) : [0, 1, 2, 6], samples: 4, step: all ? 24 : 16)
        guard (try? buffer.start()) != nil else { return }
        var result = 0
        var rounds = 0
        repeat {
            var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            var reads = 2
            result = buffer.refill(&bytes, reads: &reads)
            if result > 0 { #expect(bytes.count == result && result % buffer.scanSize == 0) }
            rounds += 1
        } while (result >= 0 || result == -Int(EAGAIN)) && rounds < 10_000
        #expect(result < 0 && result != -Int(EAGAIN))
    }

    // MARK: Start and cancellation

    @Test("A cancelled capture fails and wakes waiting threads")
    func cancel() throws {
        let server = try ScriptedServer("0\n")
        let buffer = try buffer(server)
        // The second chunk is available at the time of the cancellation.
        server.send("64\n0000000f\n", Self.bytes(64), then: "64\n0000000f\n", Self.bytes(64))
        #expect(refill(buffer) == Self.bytes(64))
        buffer.cancel()
        let pollHandle = try #require(buffer.pollHandle)
        #expect(!pollHandle.wakeUp.wait(for: pollHandle.descriptor, events: Int16(POLLIN), milliseconds: -1))
        #expect(failure(buffer) == -9)
        buffer.close()
        buffer.cancel()
    }

    @Test(
        "A rejected capture throws the server's error",
        arguments: [
            ("-22\n", 22), ("-16\n", 16), ("", 32), ("-11\n", 5), ("-9223372036854775808\n", 2_147_483_647),
        ] as [(String, Int32)])
    func refusals(answer: String, number: Int32) throws {
        let server = try ScriptedServer(answer)
        server.hangUp()
        let failure = #expect(throws: IIOFailure.self) { try buffer(server) }
        #expect(failure?.number == number)
    }

    @Test("A server that does not start the capture causes a timeout, whatever else it sends")
    func silence() throws {
        let server = try ScriptedServer()
        let buffer = try server.buffer(Self.device, [0, 1, 2, 3], samples: 1, startTimeout: 0.05)
        let talker = Thread { while !Thread.current.isCancelled, server.send("\n", mayFail: true) { sched_yield() } }
        talker.start()
        let failure = #expect(throws: IIOFailure.self) { try buffer.start() }
        #expect(failure?.number == ETIMEDOUT)
        talker.cancel()
        while !talker.isFinished { sched_yield() }
    }

    @Test("A capture can be cancelled before the server has started it")
    func cancelBeforeStart() throws {
        let server = try ScriptedServer()
        let buffer = try server.buffer(Self.device, [0, 1, 2, 3], samples: 1, startTimeout: 3600)
        let canceller = Thread { buffer.cancel() }
        canceller.start()
        let failure = #expect(throws: IIOFailure.self) { try buffer.start() }
        #expect(failure?.number == EBADF)
    }

    @Test("The mask has one bit per channel in words of eight digits, last word first")
    func masks() {
        // As requested by libiio for accel_x and the timestamp of the kernel's bmi160.
        #expect(String(decoding: ServerScans.mask([3, 6], of: 7), as: UTF8.self) == "00000048")
        // 1 << 35 | 1 << 31 | 1, computed by hand.
        #expect(String(decoding: ServerScans.mask([0, 31, 35], of: 36), as: UTF8.self) == "0000000880000001")
    }
}
#endif
