// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls
import Testing

/// Tests that count the wake-ups of a reactor thread during round trips through another channel, which cause one
/// wake-up each. A spinning thread would wake hundreds of times more. Each test uses its own reactor.
@Suite(.timeLimit(.minutes(5)))
struct WakeUpTests {
    private let reactor = ChannelReactor()
    private let rounds = 200

    private func countsOnlyRounds() throws -> Bool {
        let pair = try SocketPair(reactor: reactor)
        guard pair.roundTrips(1) else { return false }
        let before = reactor.wakeupCount
        guard pair.roundTrips(rounds) else { return false }
        return reactor.wakeupCount - before <= rounds + 2
    }

    @Test("A silent device does not wake the reactor thread")
    func silent() throws {
        let pty = try Pty()
        let channel = try NodeChannel(
            TTYPort.open(pty.path, TTYSettings()), clock: LiveClock(), reactor: reactor)
        #expect(try countsOnlyRounds())
        #expect(channel.bytesAvailable == 0)
        #expect(channel.end == nil)
    }

    @Test("After an unplug the reactor thread is not woken again, even if the app keeps the channel")
    func unplugged() throws {
        let pty = try Pty()
        let channel = try NodeChannel(TTYPort.open(pty.path, TTYSettings()), clock: LiveClock(), reactor: reactor)
        let watch = Watch(channel)
        pty.master.close()
        #expect(watch.waitForEnd()?.reason == .hungUp)
        #expect(try countsOnlyRounds())
        #expect(watch.ends == 1)
    }

    @Test("A hang-up behind a full buffer does not make the reactor thread spin")
    func full() throws {
        let pair = try SocketPair(reactor: reactor)
        let sent = pair.peer.sendSome(pattern(500_000))
        pair.peer.close()
        #expect(pair.watch.waitForBytes(65_536))
        #expect(try countsOnlyRounds())
        #expect(pair.watch.receive(sent + 1).count == sent)
    }

    @Test("A peer that does not read does not make the reactor thread spin")
    func blockedOutput() throws {
        let pair = try SocketPair(reactor: reactor)
        #expect(pair.watch.write(pattern(1_000_000)) > 65_536)
        #expect(pair.channel.spaceAvailable == 0)
        #expect(try countsOnlyRounds())
    }

    @Test(
        "A port that polls as writable but accepts nothing is retried after a pause, without spinning"
    )
    func fruitlessWrites() throws {
        let clock = VirtualClock()
        let port = try ScriptedPort()
        let channel = try NodeChannel(port, clock: clock, reactor: reactor)
        let watch = Watch(channel)
        #expect(watch.write([1, 2, 3]) == 3)
        // The first iteration detects that the port accepts nothing.
        try #require(poll { clock.nextDeadline != nil })
        #expect(try countsOnlyRounds())
        #expect(clock.runNextTimer(upTo: .never))
        try #require(poll { clock.nextDeadline != nil })
        port.acceptsWrites.store(true, ordering: .releasing)
        #expect(clock.runNextTimer(upTo: .never))
        try #require(poll { !port.bytes.isEmpty })
        #expect(port.bytes == [1, 2, 3])
        #expect(clock.nextDeadline == nil)
        channel.close()
    }

    /// Wakes the reactor thread until the condition holds. Returns false after 1,000 attempts.
    private func poll(_ condition: () -> Bool) throws -> Bool {
        for _ in 0..<1000 {
            if condition() { return true }
            guard try SocketPair(reactor: reactor).roundTrips(1) else { return false }
        }
        return condition()
    }

    @Test("A port with endless input does not starve other channels")
    func fair() throws {
        let channel = try NodeChannel(
            ScriptedPort(hasUnreportedReadiness: true, isEndless: true), clock: LiveClock(), reactor: reactor)
        // Unlike `Watch`, this observer reads all bytes on the reactor's thread.
        channel.observe { [weak channel] event in
            guard case .readable = event, let channel else { return }
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { memory in
                while case .bytes = channel.read(into: memory) {}
            }
        }
        let pair = try SocketPair(reactor: reactor)
        #expect(pair.roundTrips(20))
        channel.close()
    }

    @Test("After the last channel is closed, the reactor thread sleeps")
    func none() throws {
        let pair = try SocketPair(reactor: reactor)
        #expect(reactor.channelCount == 1)
        pair.channel.close()
        #expect(pair.waitForRelease())
        #expect(reactor.channelCount == 0)
        #expect(try countsOnlyRounds())
    }
}
