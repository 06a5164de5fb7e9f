// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing

@testable import ExternalAccessory

@Suite("Executors that poll a session's channel", .timeLimit(.minutes(5)))
struct StreamPollingTests {
    /// A channel that records whether an executor is set, and provides bytes on request.
    private final class Channel: PollableChannel {
        private let pending = Atomic<Int>(0)
        private let available = Atomic<Int>(0)
        private let observer = Mutex<(@Sendable (ByteChannelEvent) -> Void)?>(nil)
        private let executor = Mutex<ExecutorIdentity?>(nil)

        /// Makes `count` more bytes available to `takeIn()`.
        func addPending(_ count: Int) { pending.add(count, ordering: .relaxed) }

        func hangUp() { observer.withLock { $0 }?(.ended) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead { .empty }
        func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite { .accepted(0) }
        var status: ByteChannelStatus {
            ByteChannelStatus(bytesAvailable: available.load(ordering: .relaxed), spaceAvailable: 0, end: nil)
        }
        func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { observer.withLock { $0 = receive } }
        func close() {}
        func setExecutor(_ executor: ExecutorIdentity?) { self.executor.withLock { $0 = executor } }
        func readPendingInput() { available.store(pending.load(ordering: .relaxed), ordering: .relaxed) }

        var hasExecutor: Bool { executor.withLock { $0 != nil } }
    }

    private let bench = Bench(isLive: true)
    private let channel = Channel()

    private func session(_ channel: any ByteChannel) -> EASession {
        EASession(
            core: SessionCore(
                channel: channel, device: bench.device, accessory: EAAccessory(), name: "com.example.scale"))
    }

    @Test("The input stream's run loop polls the channel if the stream is scheduled exactly once")
    func singleExecutor() throws {
        let session = session(channel)
        let (input, output) = (try #require(session.inputStream), try #require(session.outputStream))
        let mode = RunLoop.Mode("com.example.mode")
        output.schedule(in: .main, forMode: .default)
        #expect(!channel.hasExecutor)
        input.schedule(in: .main, forMode: .default)
        #expect(channel.hasExecutor)
        input.schedule(in: .main, forMode: mode)
        #expect(!channel.hasExecutor)
        input.remove(from: .main, forMode: .default)
        #expect(channel.hasExecutor)
        input.close()
        #expect(!channel.hasExecutor)
    }

    @Test("The event queue of a session polls its channel")
    func queue() throws {
        let session = session(channel)
        session.setEventQueue(DispatchQueue(label: "com.example.queue"))
        #expect(channel.hasExecutor)
        session.setEventQueue(nil)
        #expect(!channel.hasExecutor)
    }

    @Test("Each connection of a following session is polled by the run loop")
    func following() throws {
        let following = ReconnectingChannel(channel, identity: "", name: "") { _ in
        } closed: { _ in
        }
        let session = session(following)
        session.inputStream?.schedule(in: .main, forMode: .default)
        #expect(channel.hasExecutor)
        let next = Channel()
        #expect(!following.adopt(next))
        channel.hangUp()
        #expect(following.adopt(next))
        #expect(next.hasExecutor)
        following.close()
    }

    @Test("The run loop no longer polls once a task reads")
    func tasks() async throws {
        let session = session(channel)
        let input = try #require(session.inputStream)
        input.schedule(in: .main, forMode: .default)
        #expect(channel.hasExecutor)
        let reading = Task { for try await _ in session.bytes {} }
        while channel.hasExecutor { await Task.yield() }
        reading.cancel()
        try await reading.value
    }

    @Test("hasBytesAvailable includes bytes that the run loop has not polled yet")
    func requestsInput() throws {
        let session = session(channel)
        let input = try #require(session.inputStream)
        input.open()
        #expect(!input.hasBytesAvailable)
        channel.addPending(3)
        #expect(input.hasBytesAvailable)
    }
}
