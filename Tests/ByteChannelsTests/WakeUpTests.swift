// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Glibc
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
        #expect(pair.watch.wait { pair.channel.bytesAvailable == 65_536 })
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
