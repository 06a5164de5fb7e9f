// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import UdevSource

@Suite("Order of events at an unplug", .timeLimit(.minutes(5)))
struct EndOrderTests {
    private static let records = Records.plain("com.a")

    private static func socket() throws -> (channel: NodeChannel, peer: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        let port = SocketPort(descriptor: ends[1], path: "/dev/ttyACM0")
        return (try NodeChannel(port, clock: LiveClock()), ends[0])
    }

    @Test("A channel has ended and its observer has been notified before the hub reports the detach")
    func endsFirst() throws {
        for _ in 0..<Thoroughness.rounds(200, quick: 20) {
            let test = TestSource(Self.records)
            let (node, peer) = try Self.socket()
            defer { close(peer) }
            test.put(OpenedChannel(node))
            let channel = try test.source.open(1, protocol: "com.a")
            let received = Atomic<Bool>(false)
            channel.observe { event in
                if case .ended = event { received.store(true, ordering: .sequentiallyConsistent) }
            }
            let order = Mutex<[Bool]>([])
            let subscription = test.source.subscribe { event in
                guard case .detached = event else { return }
                let isReceived = received.load(ordering: .sequentiallyConsistent)
                order.withLock { $0 = [channel.end?.reason == .detached, isReceived] }
            }
            test.remove(Self.records[0])
            #expect(order.withLock { $0 } == [true, true])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test("With more unread bytes than fit in the buffer, the detach precedes the end of the channel")
    func endsAfterReading() throws {
        let test = TestSource(Self.records)
        let (node, peer) = try Self.socket()
        defer { close(peer) }
        test.put(OpenedChannel(node))
        let channel = try test.source.open(1, protocol: "com.a")
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
        var sent = 0
        // Fills the buffers of the kernel and of the channel.
        while channel.bytesAvailable < 65_536 || sent < 100_000 {
            let count = bytes[sent...].withUnsafeBytes { write(peer, $0.baseAddress, $0.count) }
            if count > 0 { sent += count }
        }
        let ended = BinarySemaphore()
        let changed = BinarySemaphore()
        channel.observe { event in
            if case .ended = event { ended.signal() }
            changed.signal()
        }
        test.remove(Self.records[0])
        #expect(test.events == ["snapshot [1]", "detached 1"])
        #expect(channel.end == nil)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        reading: while true {
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .bytes(let count): received += buffer[..<count]
            case .empty:
                guard changed.wait(seconds: 60) else { break reading }
            case .ended(let end):
                #expect(end.reason == .detached)
                break reading
            }
        }
        #expect(received == Array(bytes[..<sent]))
        #expect(ended.wait(seconds: 60))
    }

    @Test("An unplug reported on the channels' reactor thread is processed without waiting for the channels")
    func insideObserver() throws {
        let test = TestSource(Self.records)
        let (node, peer) = try Self.socket()
        defer { close(peer) }
        test.put(OpenedChannel(node))
        let channel = try test.source.open(1, protocol: "com.a")
        let semaphore = BinarySemaphore()
        channel.observe { event in
            switch event {
            case .readable: test.remove(Self.records[0])
            case .ended: semaphore.signal()
            case .writable: break
            }
        }
        var byte: UInt8 = 1
        #expect(write(peer, &byte, 1) == 1)
        #expect(semaphore.wait(seconds: 60))
        #expect(channel.end?.reason == .detached)
        #expect(test.events == ["snapshot [1]", "detached 1"])
    }
}
