// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import SystemCalls
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BackPressureTests {
    @Test("An app that does not read blocks the peer, and no bytes are lost")
    func slowApp() throws {
        let pair = try SocketPair()
        let bytes = pattern(2_000_000)
        var sent = pair.peer.sendSome(bytes)
        #expect(sent > 65_536)
        #expect(sent < bytes.count)
        #expect(pair.watch.waitForBytes(65_536))
        sent += pair.peer.sendSome(Array(bytes[sent...]))
        #expect(pair.channel.bytesAvailable == 65_536)
        #expect(sent < bytes.count)
        expectSame(pair.watch.receive(sent), Array(bytes[..<sent]))
        pair.peer.send(Array(bytes[sent..<sent + 10]))
        expectSame(pair.watch.receive(10), Array(bytes[sent..<sent + 10]))
    }

    @Test("After a hang-up, the bytes in the kernel are read before the end is reported")
    func hangUpWhileFull() throws {
        let pair = try SocketPair()
        let bytes = pattern(500_000)
        let sent = pair.peer.sendSome(bytes)
        #expect(sent > 65_536)
        pair.peer.close()
        #expect(pair.watch.waitForBytes(65_536))
        #expect(pair.channel.end == nil)
        expectSame(pair.watch.receive(sent + 1), Array(bytes[..<sent]))
        #expect(pair.watch.waitForEnd()?.reason == .hungUp)
        #expect(pair.watch.ends == 1)
    }

    @Test(
        "If the accessory is detached while the buffer is full, all bytes in the kernel are still read",
        arguments: [true, false])
    func detachedWhileFull(_ hangsUp: Bool) throws {
        let pair = try SocketPair()
        let bytes = pattern(500_000)
        let sent = pair.peer.sendSome(bytes)
        #expect(sent > 65_536)
        #expect(pair.watch.waitForBytes(65_536))
        if hangsUp { pair.peer.close() }
        let done = BinarySemaphore()
        pair.channel.end(ByteChannelEnd(.detached)) { done.signal() }
        // The detach does not wait for an app that does not read.
        #expect(done.wait(seconds: 60))
        #expect(pair.channel.end == nil)
        expectSame(pair.watch.receive(sent + 1), Array(bytes[..<sent]))
        #expect(pair.watch.waitForEnd()?.reason == .detached)
        #expect(pair.watch.ends == 1)
    }

    @Test("A peer that keeps sending does not keep a detached channel open")
    func endlessAfterEnd() throws {
        let pair = try SocketPair()
        let isStopped = Flag()
        Thread.detachNewThread {
            let block = pattern(65_536)
            while !isStopped.isRaised { pair.peer.send(block) }
        }
        #expect(pair.watch.waitForBytes(65_536))
        pair.channel.end(ByteChannelEnd(.detached))
        var count = 0
        while pair.channel.end == nil {
            let part = pair.watch.take()
            count += part.count
            guard count < 50_000_000 else { break }
        }
        #expect(pair.watch.waitForEnd()?.reason == .detached)
        isStopped.raise()
    }

    @Test("A write accepts as many bytes as fit, and the rest once the peer has read")
    func slowPeer() throws {
        let pair = try SocketPair()
        let bytes = pattern(1_000_000)
        let first = pair.watch.write(bytes)
        #expect(first > 65_536)
        #expect(first < bytes.count)
        #expect(pair.channel.spaceAvailable == 0)
        #expect(pair.watch.write([1]) == 0)
        let sender = Thread { _ = pair.watch.send(Array(bytes[first...])) }
        sender.start()
        expectSame(pair.peer.receive(bytes.count), bytes)
    }

    @Test("A pseudo-terminal with a small buffer receives all bytes in order")
    func slowTerminal() throws {
        let pty = try Pty()
        let watch = Watch(
            try ChannelOpener.open(.tty(path: pty.path, TTYSettings()), clock: LiveClock(), retryDelays: []))
        let bytes = pattern(400_000)
        let sender = Thread { _ = watch.send(bytes) }
        sender.start()
        expectSame(pty.master.receive(bytes.count), bytes)
        let backward = Thread { pty.master.send(bytes) }
        backward.start()
        expectSame(watch.receive(bytes.count), bytes)
    }

    @Test("Simultaneous transfers in both directions lose no bytes")
    func bothWays() throws {
        let pair = try SocketPair()
        let forward = pattern(3_000_000)
        let backward = pattern(3_000_000, from: 77)
        Thread.detachNewThread { pair.peer.send(backward) }
        let received = Promise<[UInt8]>()
        Thread.detachNewThread { received.succeed(pair.peer.receive(forward.count)) }
        // One observer serves both directions, as in an app.
        var done = 0
        var read: [UInt8] = []
        while done < forward.count || read.count < backward.count {
            let accepted =
                done < forward.count
                ? max(0, pair.watch.write(Array(forward[done..<min(done + 8192, forward.count)]))) : 0
            done += accepted
            let part = pair.watch.take()
            read += part
            if accepted == 0, part.isEmpty {
                let canWrite = done < forward.count
                try #require(
                    pair.watch.wait {
                        pair.channel.bytesAvailable > 0 || (canWrite && pair.channel.spaceAvailable > 0)
                    })
            }
        }
        expectSame(read, backward)
        expectSame(received.wait() ?? [], forward)
    }

    @Test("An endless stream is bounded: 100 MB pass, and the buffer never exceeds its capacity")
    func garbage() throws {
        let pair = try SocketPair()
        let block = pattern(65_536)
        let total = 100_000_000 / block.count * block.count
        Thread.detachNewThread {
            for _ in 0..<(total / block.count) { pair.peer.send(block) }
            pair.peer.close()
        }
        var count = 0
        var maximum = 0
        while true {
            maximum = max(maximum, pair.channel.bytesAvailable)
            let part = pair.watch.take()
            if part.isEmpty {
                if pair.channel.end != nil, pair.channel.bytesAvailable == 0 { break }
                try #require(pair.watch.wait { pair.channel.bytesAvailable > 0 || pair.channel.end != nil })
            }
            // The peer sends the same block repeatedly, so the number of bytes read determines the expected byte.
            if let first = part.first, first != block[count % block.count] { break }
            count += part.count
        }
        #expect(count == total)
        #expect(maximum <= 65_536)
    }
}
