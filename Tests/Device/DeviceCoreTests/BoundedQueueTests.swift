// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

@Suite("Bounded queue")
struct BoundedQueueTests {
    @Test("Items are returned in order while the queue grows and wraps around", arguments: [1, 2, 5, 16, 40])
    func order(limit: Int) {
        var queue = BoundedQueue<Int>()
        // The reference model.
        var model: [Int] = []
        var dropped = 0
        for number in 0..<500 {
            queue.append(number, limit: limit)
            model.append(number)
            if model.count > limit {
                model.removeFirst()
                dropped += 1
            }
            if number % 3 == 0 { #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst())) }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
            #expect(queue.last == model.last)
        }
        #expect(queue.droppedCount == dropped)
        while let number = queue.popFirst() { #expect(number == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(queue.isEmpty)
    }

    @Test("Removed items do not count as dropped")
    func removeAll() {
        var queue = BoundedQueue<Int>()
        for number in 0..<6 { queue.append(number, limit: 4) }
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.droppedCount == 2)
        queue.append(9)
        #expect(queue.popFirst() == 9)
    }

    @Test("A full queue drops only items of the same kind")
    func kinds() {
        var queue = BoundedQueue<Int>()
        func isEven(_ number: Int) -> Bool { number % 2 == 0 }
        for number in [1, 3, 2, 5, 4, 7] { queue.append(number, limit: 2) { isEven($0) == isEven(number) } }
        // 5 and 7 remain of the odd numbers, and both even numbers.
        #expect(queue.droppedCount == 2)
        let isDropped = queue.append(6, limit: 2, of: isEven)
        #expect(isDropped)
        queue.removeAll { $0 == 7 }
        let containsSeven = queue.contains { $0 == 7 }
        #expect(!containsSeven)
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == [5, 4, 6, nil])
    }

    @Test("One drain runs at a time and covers the items present when it begins")
    func drains() {
        var queue = BoundedQueue<Int>()
        #expect(queue.scheduleDrainIfNeeded() == false)
        queue.append(1)
        #expect(queue.scheduleDrainIfNeeded() == true)
        queue.append(2)
        // A drain is already scheduled.
        #expect(queue.scheduleDrainIfNeeded() == false)
        queue.beginDrain()
        #expect(queue.popFirst() == 1)
        queue.append(3)
        #expect(queue.scheduleDrainIfNeeded() == false)
        #expect(queue.countSinceDrainBegan == 1)
        #expect(queue.isDraining)
        #expect(queue.popFirst() == 2)
        // Items appended during the drain are left for the next one.
        #expect(!queue.isDraining)
        #expect(queue.finishDrain() == true)
        queue.beginDrain()
        #expect(queue.popFirst() == 3)
        #expect(queue.finishDrain() == false)
        #expect(queue.scheduleDrainIfNeeded() == false)
    }

    @Test("Dropped and removed items are no longer part of the drain")
    func shrinkingDrain() {
        var queue = BoundedQueue<Int>()
        for number in 0..<4 { queue.append(number) }
        #expect(queue.scheduleDrainIfNeeded() == true)
        queue.beginDrain()
        queue.append(4, limit: 4)
        #expect(queue.countSinceDrainBegan == 1)
        queue.removeAll { $0 == 2 }
        var received: [Int] = []
        while queue.isDraining, let number = queue.popFirst() { received.append(number) }
        #expect(received == [1, 3])
        queue.reset()
        #expect(queue.finishDrain() == false)
        queue.append(5)
        #expect(queue.scheduleDrainIfNeeded() == true)
        queue.reset()
        queue.append(6)
        #expect(queue.scheduleDrainIfNeeded() == true)
    }

    @Test("Items left by a drain precede those appended during it")
    func requeued() {
        var queue = BoundedQueue<Int>()
        for number in 0..<4 { queue.append(number) }
        #expect(queue.scheduleDrainIfNeeded() == true)
        queue.beginDrain()
        #expect(queue.popFirst() == 0)
        queue.append(4)
        #expect(queue.last == 4)
        #expect(queue.finishDrain() == true)
        #expect(!queue.isDraining)
        #expect(queue.countSinceDrainBegan == 4)
        queue.beginDrain()
        var received: [Int] = []
        while let number = queue.popFirst() { received.append(number) }
        #expect(received == [1, 2, 3, 4])
    }

    @Test("A drain of hundreds of thousands of items completes")
    func large() {
        // If each removal moved the remaining items, this would move about 3,000 GB.
        let state = Mutex(BoundedQueue<SIMD8<Double>>())
        state.withLock { queue in for number in 0..<300_000 { queue.append(SIMD8(repeating: Double(number))) } }
        var next = 0.0
        state.drain(\.self) { item in
            if item[0] == next { next += 1 }
        }
        #expect(next == 300_000)
    }
}
