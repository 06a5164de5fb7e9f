// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Synchronization
import SystemCalls
import Testing

/// Each on a reactor of its own. A thread that spins comes back hundreds of times while bytes go there and back through
/// another channel, which takes it one wake-up each.
@Suite(.timeLimit(.minutes(5)))
struct WakeUpTests {
    private let reactor = ChannelReactor()
    private let rounds = 200

    private func countsOnlyRounds() throws -> Bool {
        let pair = try SocketPair(reactor: reactor)
        guard pair.roundTrips(1) else { return false }
        let before = reactor.wakeUps
        guard pair.roundTrips(rounds) else { return false }
        return reactor.wakeUps - before <= rounds + 2
    }

    @Test("A device that never sends does not wake the thread")
    func silent() throws {
        let pty = try Pty()
        let channel = try NodeChannel(
            TTYPort.open(pty.path, TTYSettings()), clock: LiveClock(), reactor: reactor)
        #expect(try countsOnlyRounds())
        #expect(channel.bytesAvailable == 0)
        #expect(channel.end == nil)
    }

    @Test("After an unplug the thread is not woken again, though the app keeps the channel")
    func unplugged() throws {
        let pty = try Pty()
        let channel = try NodeChannel(TTYPort.open(pty.path, TTYSettings()), clock: LiveClock(), reactor: reactor)
        let watch = Watch(channel)
        pty.master.close()
        #expect(watch.waitForEnd()?.reason == .hungUp)
        #expect(try countsOnlyRounds())
        #expect(watch.ends == 1)
    }

    @Test("A hang-up behind a full buffer does not spin until the app reads")
    func full() throws {
        let pair = try SocketPair(reactor: reactor)
        let sent = pair.peer.sendSome(pattern(500_000))
        pair.peer.close()
        #expect(pair.watch.waitForBytes(65_536))
        #expect(try countsOnlyRounds())
        #expect(pair.watch.receive(sent + 1).count == sent)
    }

    @Test("An other side that does not read does not spin")
    func blockedOutput() throws {
        let pair = try SocketPair(reactor: reactor)
        #expect(pair.watch.write(pattern(1_000_000)) > 65_536)
        #expect(pair.channel.spaceAvailable == 0)
        #expect(try countsOnlyRounds())
    }

    @Test(
        "A port that has space by word of the kernel, and takes nothing, is asked again after a moment and does not spin"
    )
    func vainWrites() throws {
        let clock = VirtualClock()
        let port = try ScriptedPort()
        let channel = try NodeChannel(port, clock: clock, reactor: reactor)
        let watch = Watch(channel)
        #expect(watch.write([1, 2, 3]) == 3)
        // The first round finds out.
        try #require(look { clock.nextDeadline != nil })
        #expect(try countsOnlyRounds())
        #expect(clock.runNextTimer(upTo: .never))
        try #require(look { clock.nextDeadline != nil })
        port.takes.store(true, ordering: .releasing)
        #expect(clock.runNextTimer(upTo: .never))
        try #require(look { !port.bytes.isEmpty })
        #expect(port.bytes == [1, 2, 3])
        #expect(clock.nextDeadline == nil)
        channel.close()
    }

    /// Has the thread come round until something holds; false when it does not for a thousand times.
    private func look(_ condition: () -> Bool) throws -> Bool {
        for _ in 0..<1000 {
            if condition() { return true }
            guard try SocketPair(reactor: reactor).roundTrips(1) else { return false }
        }
        return condition()
    }

    @Test("A port that has more and more, and an app that keeps pace with it, leave their turn to the others")
    func fair() throws {
        let channel = try NodeChannel(
            ScriptedPort(isTriedAlways: true, isEndless: true), clock: LiveClock(), reactor: reactor)
        // Watch takes nothing: this reads all on the reactor's own thread.
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

    @Test("With no channel left the thread sleeps")
    func none() throws {
        let pair = try SocketPair(reactor: reactor)
        #expect(reactor.channelCount == 1)
        pair.channel.close()
        #expect(pair.waitForRelease())
        #expect(reactor.channelCount == 0)
        #expect(try countsOnlyRounds())
    }
}
