// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Foundation
import Testing

@Suite("Asynchronous reads and writes", .timeLimit(.minutes(5)))
struct AsyncTests {
    private let bench = Bench()

    @Test("Bytes are delivered in pieces, and the sequence ends when the accessory is detached")
    func bytes() async throws {
        let (session, peer) = try bench.session()
        let bytes = session.bytes
        let reading = Task {
            var text = ""
            for try await chunk in bytes { text += String(decoding: chunk, as: UTF8.self) }
            return text
        }
        peer.send("one ")
        await bench.callbacks.consumerGate.waitForConsumers(1)
        peer.send("two ")
        peer.send("three")
        bench.accessories.detach(1)
        #expect(try await reading.value == "one two three")
        await bench.callbacks.consumerGate.waitUntilIdle()
        withExtendedLifetime(session) {}
    }

    @Test("A failed connection throws an error after the received bytes")
    func failure() async throws {
        let (session, peer) = try bench.session()
        peer.send("x")
        peer.end(ByteChannelEnd(.failed, error: DeviceError(.inputOutput, "Reading failed.")))
        var iterator = session.bytes.makeAsyncIterator()
        #expect(try await iterator.next() == Data("x".utf8))
        await #expect(throws: DeviceError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("A loop ends when its task is cancelled and when the session is released")
    func cancelled() async throws {
        var (session, _): (EASession?, MemoryChannel) = try bench.session()
        let bytes = try #require(session?.bytes)
        let read: @Sendable () async throws -> Int = {
            var count = 0
            for try await chunk in bytes { count += chunk.count }
            return count
        }
        let first = Task { try await read() }
        await bench.callbacks.consumerGate.waitForConsumers(1)
        first.cancel()
        #expect(try await first.value == 0)
        let second = Task { try await read() }
        await bench.callbacks.consumerGate.waitForConsumers(1)
        session = nil
        #expect(try await second.value == 0)
        #expect(bench.callbacks.consumerGate.isIdle)
    }

    @Test("A write waits for space until all bytes are written")
    func write() async throws {
        bench.accessories.setCapacity(1000)
        let (session, peer) = try bench.session()
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let reading = Task.detached {
            var received: [UInt8] = []
            while received.count < data.count {
                received += peer.receive()
                await Task.yield()
            }
            return received
        }
        try await session.write(data)
        #expect(await reading.value == Array(data))
    }

    @Test("Concurrent writes are not interleaved")
    func twoWrites() async throws {
        bench.accessories.setCapacity(16)
        let (session, peer) = try bench.session()
        let core = Unshared(session)
        let first = Task { try await core.session.write(Data(repeating: 1, count: 500)) }
        let second = Task { try await core.session.write(Data(repeating: 2, count: 500)) }
        var received: [UInt8] = []
        while received.count < 1000 {
            received += peer.receive()
            await Task.yield()
        }
        try await first.value
        try await second.value
        let changes = zip(received, received.dropFirst()).filter { $0 != $1 }.count
        #expect(changes == 1)
    }

    @Test("A write throws an error if the accessory is detached in the meantime")
    func writeWithoutPeer() async throws {
        bench.accessories.setCapacity(16)
        let (session, peer) = try bench.session()
        let core = Unshared(session)
        let writing = Task { try await core.session.write(Data(repeating: 1, count: 500)) }
        while peer.bytesAvailable == 0 { await Task.yield() }
        bench.accessories.detach(1)
        let error = await #expect(throws: DeviceError.self) { try await writing.value }
        #expect(error?.code == .connectionLost)
    }

    @Test("A cancelled write ends with a CancellationError")
    func cancelledWrite() async throws {
        bench.accessories.setCapacity(16)
        let (session, peer) = try bench.session()
        let core = Unshared(session)
        let writing = Task { try await core.session.write(Data(repeating: 1, count: 500)) }
        while peer.bytesAvailable == 0 { await Task.yield() }
        writing.cancel()
        await #expect(throws: CancellationError.self) { try await writing.value }
        #expect(peer.receive().count == 16)
        try await session.write(Data([2]))
        #expect(peer.receive() == [2])
    }

    /// Passes a session to tasks that only write to it.
    private struct Unshared: @unchecked Sendable {
        let session: EASession
        init(_ session: EASession) { self.session = session }
    }
}
