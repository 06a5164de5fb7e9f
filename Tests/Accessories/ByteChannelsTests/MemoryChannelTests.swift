// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MemoryChannelTests {
    @Test("Each end reads the bytes written by the other end, up to the capacity")
    func pair() {
        let (left, right) = MemoryChannel.pair(capacity: 4)
        let (one, two) = (Watch(left), Watch(right))
        #expect(one.write([1, 2, 3, 4, 5]) == 4)
        #expect(left.spaceAvailable == 0)
        #expect(two.take() == [1, 2, 3, 4])
        #expect(left.spaceAvailable == 4)
        #expect(two.write([9]) == 1)
        #expect(one.take() == [9])
        #expect(one.readables == 1)
    }

    @Test("After a close, the other side reads the remaining bytes and then the end")
    func close() {
        let (left, right) = MemoryChannel.pair()
        let (one, two) = (Watch(left), Watch(right))
        one.write([1, 2])
        two.write([3])
        left.close()
        left.close()
        #expect(right.end?.reason == .hungUp)
        #expect(two.take() == [1, 2])
        #expect(two.write([4]) == -1)
        #expect(two.ends == 1)
        #expect(left.end?.reason == .closed)
        #expect(left.bytesAvailable == 0)
        #expect(one.ends == 0)
    }

    @Test("An unplug ends both sides once, and both can still read the bytes written before it")
    func unplug() {
        let (left, right) = MemoryChannel.pair()
        let (one, two) = (Watch(left), Watch(right))
        one.write([1])
        two.write([2])
        left.end(ByteChannelEnd(.detached))
        right.end(ByteChannelEnd(.failed))
        #expect(one.take() == [2])
        #expect(two.take() == [1])
        #expect(left.end?.reason == .detached)
        #expect(right.end?.reason == .detached)
        #expect(one.ends == 1)
        #expect(two.ends == 1)
    }

    @Test("A replaced observer receives no further events, and the new one receives the next events")
    func observers() {
        let (left, right) = MemoryChannel.pair()
        let first = Watch(right)
        Watch(left).write([1])
        #expect(first.readables == 1)
        let second = Watch(right)
        #expect(second.take() == [1])
        Watch(left).write([2])
        #expect(first.readables == 1)
        #expect(second.readables == 1)
        right.observe(nil)
        #expect(second.take() == [2])
        Watch(left).write([3])
        #expect(second.readables == 1)
    }

    @Test("Two threads exchange data in both directions without loss")
    func threads() {
        let (left, right) = MemoryChannel.pair(capacity: 4096)
        let (one, two) = (Watch(left), Watch(right))
        let bytes = pattern(1_000_000)
        let done = Promise<Bool>()
        Thread.detachNewThread {
            var isCorrect = true
            // Echoes all bytes.
            var count = 0
            while count < bytes.count {
                let part = two.receive(min(2000, bytes.count - count))
                if part.isEmpty || !two.send(part) { isCorrect = false }
                if part.isEmpty { break }
                count += part.count
            }
            done.succeed(isCorrect)
        }
        var received: [UInt8] = []
        while received.count < bytes.count {
            let chunk = Array(bytes[received.count..<min(received.count + 2000, bytes.count)])
            guard one.send(chunk) else { break }
            let part = one.receive(chunk.count)
            if part.isEmpty { break }
            received += part
        }
        expectSame(received, bytes)
        #expect(done.wait() == true)
    }
}
