// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import AppDelivery
import ByteChannels
import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

/// A tolerance of 600 s is never exceeded in a test. A tolerance of 0 s is exceeded at once.
@Suite("Channels that an executor polls", .timeLimit(.minutes(5)))
struct ChannelPollingTests {
    private let reactor = ChannelReactor()
    private let executor = ManualPollingExecutor()

    private func register(tolerance: Double = 600, capacity: Int = 65_536) throws -> SocketPair {
        let pair = try SocketPair(capacity: capacity, tolerance: tolerance, reactor: reactor)
        pair.channel.setExecutor(ExecutorIdentity(executor))
        try #require(executor.waitForRegistration())
        return pair
    }

    @Test("The executor is notified on its own thread, and the reactor thread sleeps")
    func polls() throws {
        let pair = try register()
        let before = reactor.wakeupCount
        for round in 1...200 {
            pair.peer.send([UInt8(round)])
            #expect(pair.watch.readables == round - 1)
            #expect(executor.pollWhenReadable())
            #expect(pair.watch.readables == round)
            #expect(pair.watch.take() == [UInt8(round)])
        }
        // At most one wake-up for the request and one for the registration.
        #expect(reactor.wakeupCount - before <= 2)
    }

    @Test("If the executor does not poll, the reactor thread reads")
    func stalled() throws {
        let pair = try register(tolerance: 0)
        pair.peer.send([1, 2, 3])
        #expect(pair.watch.wait { pair.channel.bytesAvailable == 3 })
        #expect(pair.watch.take() == [1, 2, 3])
    }

    @Test("A read by the app returns received bytes even if the executor does not poll")
    func pendingInput() throws {
        let pair = try register()
        pair.peer.send([1, 2, 3])
        // The registration may not be complete yet. The test reads repeatedly, as an app does.
        let end = LiveClock().now.advanced(bySeconds: 60)
        var received: [UInt8] = []
        while received.count < 3, LiveClock().now < end { received += pair.watch.take(2) }
        #expect(received == [1, 2, 3])
        pair.peer.send([4])
        pair.channel.readPendingInput()
        #expect(pair.channel.bytesAvailable == 1)
    }

    @Test("A byte that arrives while the app reads is not missed if the executor could not read meanwhile")
    func contendedRead() throws {
        let port = try ScriptedPort(inputBufferingTime: .infinity)
        let channel = try NodeChannel(port, clock: LiveClock(), tolerance: 600, reactor: reactor)
        channel.setExecutor(ExecutorIdentity(executor))
        try #require(executor.waitForRegistration())
        // The registration may not be complete yet. Until then, the app's read has no effect.
        let end = LiveClock().now.advanced(bySeconds: 60)
        while port.reads.load(ordering: .relaxed) == 0, LiveClock().now < end { channel.readPendingInput() }
        let round = Atomic<Int>(0)
        port.onRead.withLock {
            $0 = { [executor] in
                switch round.add(1, ordering: .relaxed).newValue {
                case 1:
                    // The app's read is in progress and finds nothing. The byte then arrives, and the executor cannot
                    // read it.
                    let hasPolled = BinarySemaphore()
                    Thread.detachNewThread {
                        executor.pollNow()
                        hasPolled.signal()
                    }
                    _ = hasPolled.wait(seconds: 60)
                    return false
                case 2: return true
                default: return false
                }
            }
        }
        channel.readPendingInput()
        #expect(channel.bytesAvailable == 1)
        port.onRead.withLock { $0 = nil }
        channel.close()
    }

    @Test("A large amount of data is delivered in several parts", arguments: [40_000, 65_536])
    func partialReads(capacity: Int) throws {
        let pair = try register(capacity: capacity)
        let bytes = pattern(120_000)
        Thread.detachNewThread { [peer = pair.peer] in peer.send(bytes) }
        var received: [UInt8] = []
        while received.count < bytes.count {
            guard executor.pollWhenReadable() else { break }
            let count = pair.channel.bytesAvailable
            // Equal to eight events of 4 KiB.
            #expect(count <= 32_768)
            received += pair.watch.take(count)
        }
        expectSame(received, bytes)
    }

    @Test("If the buffer is full, the reactor thread polls the channel, and no bytes are lost")
    func full() throws {
        let pair = try register(capacity: 1_000)
        let bytes = pattern(5_000)
        pair.peer.send(bytes)
        #expect(executor.pollWhenReadable())
        #expect(executor.waitForEnd())
        #expect(pair.channel.bytesAvailable == 1_000)
        pair.channel.setExecutor(nil)
        expectSame(pair.watch.receive(5_000), bytes)
    }

    @Test(
        "A half-closed connection is detected even if the executor does not poll",
        arguments: [true, false])
    func halfClosed(polls: Bool) throws {
        let pair = try register()
        pair.peer.send([1, 2, 3])
        #expect(shutdown(pair.peer.descriptor, Int32(SHUT_WR)) == 0)
        // The reactor thread may detect the end first.
        if polls { executor.pollNow() }
        #expect(pair.watch.waitForEnd()?.reason == .hungUp)
        #expect(pair.watch.take() == [1, 2, 3])
        #expect(pair.watch.ends == 1)
    }

    @Test("A hang-up is reported once, after the received bytes, even if the executor does not poll")
    func hangUp() throws {
        let pair = try register()
        pair.peer.send([1, 2, 3])
        pair.peer.close()
        #expect(pair.watch.waitForEnd()?.reason == .hungUp)
        #expect(pair.watch.take() == [1, 2, 3])
        #expect(pair.watch.ends == 1)
    }

    @Test("The port is no longer read once the channel is about to end or has been released")
    func ended() throws {
        let port = try ScriptedPort(inputBufferingTime: .infinity)
        let channel = try NodeChannel(port, clock: LiveClock(), tolerance: 600, reactor: reactor)
        channel.setExecutor(ExecutorIdentity(executor))
        try #require(executor.waitForRegistration())
        executor.pollNow()
        #expect(port.reads.load(ordering: .relaxed) == 1)
        // Simulates a poll that began earlier and runs last.
        let last = Atomic<Int>(0)
        port.onPendingBytes.withLock {
            $0 = { [unowned port, executor] in
                let before = port.reads.load(ordering: .relaxed)
                executor.pollNow()
                last.store(port.reads.load(ordering: .relaxed) - before, ordering: .relaxed)
            }
        }
        let semaphore = BinarySemaphore()
        channel.whenReleased { semaphore.signal() }
        // Unlike a closed channel, a detached channel reads until its end.
        channel.end(ByteChannelEnd(.detached))
        #expect(semaphore.wait(seconds: 60))
        #expect(last.load(ordering: .relaxed) == 0)
        let reads = port.reads.load(ordering: .relaxed)
        executor.pollNow()
        channel.readPendingInput()
        #expect(port.reads.load(ordering: .relaxed) == reads)
    }

    @Test("A detach is reported after the bytes that the executor has not read")
    func unplugged() throws {
        let pair = try register()
        pair.peer.send([1, 2, 3])
        pair.channel.end(ByteChannelEnd(.detached))
        #expect(pair.watch.waitForEnd()?.reason == .detached)
        #expect(pair.watch.take() == [1, 2, 3])
        #expect(executor.waitForEnd())
    }

    @Test("A closed channel is released even if the executor does not poll")
    func closed() throws {
        let pair = try register()
        pair.channel.close()
        #expect(pair.waitForRelease())
        #expect(executor.waitForEnd())
        #expect(reactor.channelCount == 0)
    }

    @Test("After the executor is removed, the reactor thread reads")
    func moved() throws {
        let pair = try register()
        pair.channel.setExecutor(nil)
        #expect(executor.waitForEnd())
        pair.peer.send([1, 2, 3])
        #expect(pair.watch.receive(3) == [1, 2, 3])
    }

    @Test("The executor can read while the channel writes pending bytes")
    func writes() throws {
        let pair = try register()
        var written: [UInt8] = []
        // Writes until the buffers of the system and of the channel are full.
        while pair.channel.spaceAvailable > 0 {
            let bytes = pattern(100_000, from: written.count)
            written += bytes.prefix(max(0, pair.watch.write(bytes)))
        }
        pair.peer.send([1])
        #expect(executor.pollWhenReadable())
        #expect(pair.watch.take() == [1])
        expectSame(pair.peer.receive(written.count), written)
    }

    @Test("A run loop reads from the channel and exits after the executor is removed")
    func runLoop() throws {
        let pair = try SocketPair(tolerance: 600, reactor: reactor)
        let hasStopped = BinarySemaphore()
        Thread.detachNewThread {
            let source = RunLoopExecutor(loop: .current, mode: .default)
            let reply: @Sendable () -> Void = { [channel = pair.channel] in
                withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
                    guard case .bytes = channel.read(into: memory) else { return }
                    if memory[0] == 100 {
                        channel.setExecutor(nil)
                        return source.invalidate()
                    }
                    memory[0] += 1
                    _ = channel.write(UnsafeRawBufferPointer(memory))
                }
            }
            pair.channel.observe { _ in source.schedule(reply) }
            pair.channel.setExecutor(ExecutorIdentity(source))
            // Bytes received before the registration cause no event.
            source.schedule(reply)
            RunLoop.current.run()
            hasStopped.signal()
        }
        for round in UInt8(0)..<100 {
            pair.peer.send([round])
            #expect(pair.peer.receive(1) == [round + 1])
        }
        pair.peer.send([100])
        #expect(hasStopped.wait(seconds: 60))
    }

    @Test("A port states how long received bytes stay buffered; only the reactor reads HID reports")
    func inputBufferingTime() throws {
        for (settings, inputBufferingTime) in [
            (TTYSettings(speed: 115_200), 2048 / 11_520.0), (TTYSettings(usesHardwareFlowControl: true), .infinity),
        ] {
            let pty = try Pty()
            let port = try TTYPort.open(pty.path, settings)
            #expect(port.inputBufferingTime == inputBufferingTime)
            port.release(timeout: 0) { true }
        }
        #expect(SocketPort(descriptor: -1, path: "pair").inputBufferingTime == .infinity)
        #expect(
            HIDPort(descriptor: -1, path: "reports", framing: HIDFraming(reportLength: 8)).inputBufferingTime == nil)
    }
}
