// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import SystemCalls
import Testing

/// Tests over a pair of SOCK_SEQPACKET sockets, which preserve message boundaries like hidraw.
@Suite(.timeLimit(.minutes(5)))
struct HIDChannelTests {
    private let plain = HIDFraming(reportLength: 8)
    private let numbered = HIDFraming(reportLength: 4, reportNumber: 5)

    @Test("A short write is sent as a report with number 0, padded with zeros")
    func short() throws {
        let pair = try SocketPair(framing: plain)
        #expect(pair.watch.write([1, 2, 3]) == 3)
        #expect(pair.peer.receive(9) == [0, 1, 2, 3, 0, 0, 0, 0, 0])
    }

    @Test("A long write is split into reports, and two writes never share a report")
    func long() throws {
        let pair = try SocketPair(framing: plain)
        #expect(pair.watch.write(Array(1...10)) == 10)
        #expect(pair.watch.write([20]) == 1)
        #expect(pair.peer.receive(9) == [0, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(pair.peer.receive(9) == [0, 9, 10, 0, 0, 0, 0, 0, 0])
        #expect(pair.peer.receive(9) == [0, 20, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("A numbered report is sent with its number and received without it; other reports are ignored")
    func number() throws {
        let pair = try SocketPair(framing: numbered)
        #expect(pair.watch.write([9]) == 1)
        #expect(pair.peer.receive(5) == [5, 9, 0, 0, 0])
        pair.peer.send([5, 1, 2, 3, 4])
        pair.peer.send([6, 7, 7, 7, 7])
        pair.peer.send([5, 8, 9, 10, 11])
        #expect(pair.watch.receive(8) == [1, 2, 3, 4, 8, 9, 10, 11])
    }

    @Test("Without report numbers, every byte of a report is data")
    func data() throws {
        let pair = try SocketPair(framing: plain)
        pair.peer.send([0, 1, 2, 3, 4, 5, 6, 7])
        pair.peer.send([5, 0, 0, 0, 0, 0, 0, 255])
        #expect(pair.watch.receive(16) == [0, 1, 2, 3, 4, 5, 6, 7, 5, 0, 0, 0, 0, 0, 0, 255])
    }

    @Test("A slow device receives all reports, and the app is notified of space")
    func slow() throws {
        let pair = try SocketPair(framing: plain)
        let bytes = pattern(200_000)
        Thread.detachNewThread { _ = pair.watch.send(bytes) }
        var received: [UInt8] = []
        while received.count < bytes.count {
            let report = pair.peer.receive(9)
            guard report.count == 9 else { break }
            received += report.dropFirst()
        }
        expectSame(Array(received.prefix(bytes.count)), bytes)
    }

    @Test("Reports written before the close are still sent")
    func close() throws {
        let pair = try SocketPair(clock: VirtualClock(), framing: plain)
        for value in 1...50 { pair.watch.write([UInt8(value)]) }
        pair.channel.close()
        for value in 1...50 { #expect(pair.peer.receive(9) == [0, UInt8(value), 0, 0, 0, 0, 0, 0, 0]) }
        #expect(pair.waitForRelease())
    }

    @Test("The number of unsent bytes does not include padding")
    func lost() throws {
        let pair = try SocketPair(framing: plain)
        // The peer does not read. The kernel buffers some reports, and the channel buffers the rest.
        var accepted = 0
        while true {
            let count = pair.watch.write([1, 2, 3])
            guard count > 0 else { break }
            accepted += count
        }
        #expect(accepted.isMultiple(of: 3))
        pair.channel.end(ByteChannelEnd(.detached))
        let end = pair.watch.waitForEnd()
        #expect(end?.reason == .detached)
        #expect((end?.unsentBytes ?? 0) >= 60_000 / 11 * 3)
        #expect(end?.unsentBytes.isMultiple(of: 3) == true)
        #expect(pair.waitForRelease())
    }

    @Test("An unplugged device ends the channel")
    func unplugged() throws {
        let pair = try SocketPair(framing: plain)
        pair.peer.send([1, 2, 3, 4, 5, 6, 7, 8])
        pair.peer.close()
        #expect(pair.watch.waitForEnd()?.reason == .hungUp)
        #expect(pair.watch.receive(100) == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("An invalid report length is rejected", arguments: [0, -1, 16_385])
    func length(_ length: Int) {
        #expect {
            try ChannelOpener.open(
                .hidraw(path: "/dev/null", HIDFraming(reportLength: length)), clock: LiveClock(), retryDelays: [])
        } throws: { ($0 as? DeviceError)?.code == .invalidConfiguration }
    }
}
