// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ClosingTests {
    @Test("Bytes written before the close are still sent to a slow reader")
    func drains() throws {
        let clock = VirtualClock()
        let pair = try SocketPair(clock: clock)
        let bytes = pattern(1_000_000)
        let accepted = pair.watch.write(bytes)
        #expect(accepted > 65_536)
        pair.channel.close()
        #expect(pair.channel.end?.reason == .closed)
        expectSame(pair.peer.receiveAll(), Array(bytes[..<accepted]))
        #expect(pair.waitForRelease())
        // The timer is cancelled, and no other timer remains.
        #expect(clock.nextDeadline == nil)
    }

    @Test("The other side of a pseudo-terminal still reads the bytes written before the close")
    func drainsTerminal() throws {
        let pty = try Pty()
        let channel = try ChannelOpener.open(
            .tty(path: pty.path, TTYSettings()), clock: VirtualClock(), retryDelays: [])
        let watch = Watch(channel)
        let bytes = pattern(100_000)
        let accepted = watch.write(bytes)
        #expect(accepted > 65_536)
        channel.close()
        expectSame(pty.master.receive(accepted), Array(bytes[..<accepted]))
    }

    @Test("Bytes written before the close are still sent to a peer that first sends its own bytes")
    func drainsBothWays() throws {
        let pair = try SocketPair(clock: VirtualClock())
        let bytes = pattern(1_000_000)
        let accepted = pair.watch.write(bytes)
        #expect(accepted > 65_536)
        let backward = pattern(3_000_000)
        var sent = pair.peer.sendSome(backward)
        #expect(sent < backward.count)
        pair.channel.close()
        // The peer does not read until it has sent all its bytes. It gives up after a minute without progress.
        while sent < backward.count, pair.peer.waitForSpace() {
            let count = pair.peer.sendSome(Array(backward[sent...]))
            if count == 0 { break }
            sent += count
        }
        #expect(sent == backward.count)
        expectSame(pair.peer.receiveAll(), Array(bytes[..<accepted]))
        #expect(pair.waitForRelease())
    }

    @Test("A peer that reads nothing is abandoned two seconds after the close, by the device's clock")
    func bounded() throws {
        let clock = VirtualClock()
        let pair = try SocketPair(clock: clock)
        #expect(pair.watch.write(pattern(1_000_000)) > 65_536)
        pair.channel.close()
        #expect(clock.nextDeadline == clock.now.advanced(bySeconds: 2))
        #expect(clock.runNextTimer(upTo: .never))
        #expect(pair.waitForRelease())
    }

    @Test("abandon releases the port of a closed channel at once, and has no effect before the close")
    func abandoned() throws {
        let clock = VirtualClock()
        let pair = try SocketPair(clock: clock)
        #expect(pair.watch.write(pattern(1_000_000)) > 65_536)
        pair.channel.abandon()
        #expect(pair.channel.end == nil)
        pair.channel.close()
        pair.channel.abandon()
        #expect(pair.waitForRelease())
        #expect(clock.nextDeadline == nil)
    }

    @Test("A wait for pending output ends when the output is drained, the port is needed or time is up")
    func stopsWaiting() throws {
        var callCount = 0
        let isAborted = {
            callCount += 1
            return callCount > 3
        }
        #expect(TTYPort.drainOutput({ 5 }, timeout: 1e6, isAborted: isAborted) == 5)
        #expect(callCount == 4)
        var remaining = 3
        let bytes = {
            remaining -= 1
            return remaining
        }
        #expect(TTYPort.drainOutput(bytes, timeout: 1e6, isAborted: { false }) == 0)
        #expect(TTYPort.drainOutput({ 5 }, timeout: 0, isAborted: { false }) == 5)
    }

    @Test("After the close, every call reports the end, and the observer receives no events")
    func closed() throws {
        let pair = try SocketPair()
        pair.peer.send([1, 2, 3])
        #expect(pair.watch.waitForBytes(3))
        pair.channel.close()
        pair.channel.close()
        #expect(pair.channel.bytesAvailable == 0)
        #expect(pair.channel.spaceAvailable == 0)
        #expect(pair.watch.write([1]) == -1)
        guard case .ended(let end) = pair.channel.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) else {
            Issue.record("reading continues after the close")
            return
        }
        #expect(end.reason == .closed)
        #expect(pair.waitForRelease())
        #expect(pair.watch.ends == 0)
        // The peer reads an end of file rather than an error, although three bytes were not read.
        #expect(pair.peer.receiveAll().isEmpty)
    }

    @Test("An observer can close its channel in the callback")
    func closeInside() throws {
        let pair = try SocketPair()
        let calls = Atomic<Int>(0)
        pair.channel.observe { [channel = pair.channel] _ in
            calls.add(1, ordering: .relaxed)
            channel.close()
        }
        pair.peer.send([1])
        #expect(pair.waitForRelease())
        #expect(calls.load(ordering: .relaxed) == 1)
        pair.channel.observe(nil)
    }

    @Test("A closed channel does not retain a new observer")
    func observedAfterClose() throws {
        final class Object: Sendable {}
        let pair = try SocketPair()
        pair.channel.close()
        weak var observed: Object?
        do {
            let object = Object()
            observed = object
            pair.channel.observe { _ in withExtendedLifetime(object) {} }
        }
        #expect(observed == nil)
    }

    @Test("Releasing a channel closes it")
    func dropped() throws {
        let ends = try SocketPair.descriptors(SOCK_STREAM)
        let peer = Peer(ends.0)
        do {
            let channel = try NodeChannel(SocketPort(descriptor: ends.1, path: "pair"), clock: LiveClock())
            #expect(channel.end == nil)
        }
        #expect(peer.receiveAll().isEmpty)
    }

    @Test("After a detach, received bytes can be read and unsent bytes are counted")
    func detached() throws {
        let pair = try SocketPair()
        pair.peer.send(Array("arrived".utf8))
        let bytes = pattern(1_000_000)
        let accepted = pair.watch.write(bytes)
        pair.channel.end(ByteChannelEnd(.detached))
        pair.channel.end(ByteChannelEnd(.failed))
        let end = pair.watch.waitForEnd()
        #expect(end?.reason == .detached)
        #expect(end?.error?.code == .connectionLost)
        #expect(end?.error?.cause == .system(call: "write", errno: ENODEV))
        #expect(pair.watch.receive(100) == Array("arrived".utf8))
        #expect(pair.waitForRelease())
        // Each accepted byte has either reached the kernel or is reported as unsent.
        #expect(pair.peer.receiveAll().count + (end?.unsentBytes ?? 0) == accepted)
        #expect(pair.watch.ends == 1)
    }

    @Test("The completion of end(_:then:) is called after the observer has received the end")
    func endThen() throws {
        for round in 0..<Thoroughness.rounds(200, quick: 20) {
            let pair = try SocketPair()
            pair.peer.send([1, 2, 3])
            if round % 4 == 1 { pair.channel.end(ByteChannelEnd(.failed)) }
            if round % 4 == 2 { pair.channel.close() }
            if round % 4 == 3 { pair.peer.close() }
            let received = Promise<(end: ByteChannelEnd?, count: Int)>()
            pair.channel.end(ByteChannelEnd(.detached)) { received.succeed((pair.channel.end, pair.watch.ends)) }
            let answer = try #require(received.wait())
            #expect(answer.end != nil)
            #expect(answer.count == (round % 4 == 2 ? 0 : 1))
            let again = Flag()
            pair.channel.end(ByteChannelEnd(.detached)) { again.raise() }
            #expect(again.isRaised)
        }
    }

    @Test("An observer can end its channel in the callback, and the completion is called afterwards")
    func endInside() throws {
        let pair = try SocketPair()
        let received = Promise<Bool>()
        pair.channel.observe { [channel = pair.channel] event in
            guard case .readable = event else { return }
            channel.end(ByteChannelEnd(.detached)) { received.succeed(channel.end?.reason == .detached) }
        }
        pair.peer.send([1])
        #expect(received.wait() == true)
        pair.channel.observe(nil)
    }

    @Test("A detach by the source and a hang-up by the kernel end a channel only once")
    func race() throws {
        for round in 0..<Thoroughness.rounds(300, quick: 30) {
            let pair = try SocketPair()
            let start = Flag()
            let done = Promise<Bool>()
            Thread.detachNewThread {
                while !start.isRaised {}
                pair.channel.end(ByteChannelEnd(.detached))
                done.succeed(true)
            }
            start.raise()
            if round % 2 == 0 { pair.peer.close() }
            let end = try #require(pair.watch.waitForEnd())
            #expect(end.reason == .detached || end.reason == .hungUp)
            #expect(done.wait() == true)
            #expect(pair.waitForRelease())
            #expect(pair.watch.ends == 1)
        }
    }

    @Test("Concurrent reads, writes, queries and a close are safe")
    func concurrent() throws {
        for _ in 0..<Thoroughness.rounds(50, quick: 5) {
            let pair = try SocketPair()
            let remaining = CountDownLatch(5)
            let work: [@Sendable () -> Void] = [
                { for _ in 0..<200 { pair.watch.write([1, 2, 3]) } },
                { for _ in 0..<200 { _ = pair.watch.take(7) } },
                { for _ in 0..<200 { _ = (pair.channel.spaceAvailable, pair.channel.bytesAvailable) } },
                { for _ in 0..<100 { pair.peer.send([9, 9]) } },
                {
                    for _ in 0..<50 { pair.channel.observe { _ in } }
                    pair.channel.close()
                },
            ]
            for body in work {
                Thread.detachNewThread {
                    body()
                    remaining.step()
                }
            }
            #expect(remaining.wait())
            #expect(pair.waitForRelease())
        }
    }
}
