// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

@Suite("Bounded queue")
struct BoundedQueueTests {
    @Test("Items are returned in order while the queue grows and wraps around", arguments: [1, 2, 5, 16, 40])
    func order(limit: Int) {
        var outbox = BoundedQueue<Int>()
        // The reference model.
        var model: [Int] = []
        var dropped = 0
        for number in 0..<500 {
            outbox.append(number, limit: limit)
            model.append(number)
            if model.count > limit {
                model.removeFirst()
                dropped += 1
            }
            if number % 3 == 0 { #expect(outbox.popFirst() == (model.isEmpty ? nil : model.removeFirst())) }
            #expect(outbox.count == model.count)
            #expect(outbox.first == model.first)
            #expect(outbox.last == model.last)
        }
        #expect(outbox.droppedCount == dropped)
        while let number = outbox.popFirst() { #expect(number == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(outbox.isEmpty)
    }

    @Test("Removed items do not count as dropped")
    func removeAll() {
        var outbox = BoundedQueue<Int>()
        for number in 0..<6 { outbox.append(number, limit: 4) }
        outbox.removeAll()
        #expect(outbox.isEmpty)
        #expect(outbox.droppedCount == 2)
        outbox.append(9)
        #expect(outbox.popFirst() == 9)
    }

    @Test("A full queue drops only items of the same kind")
    func kinds() {
        var outbox = BoundedQueue<Int>()
        func isEven(_ number: Int) -> Bool { number % 2 == 0 }
        for number in [1, 3, 2, 5, 4, 7] { outbox.append(number, limit: 2) { isEven($0) == isEven(number) } }
        // 5 and 7 remain of the odd numbers, and both even numbers.
        #expect(outbox.droppedCount == 2)
        let madeWay = outbox.append(6, limit: 2, of: isEven)
        #expect(madeWay)
        outbox.removeAll { $0 == 7 }
        let holdsSeven = outbox.contains { $0 == 7 }
        #expect(!holdsSeven)
        #expect([outbox.popFirst(), outbox.popFirst(), outbox.popFirst(), outbox.popFirst()] == [5, 4, 6, nil])
    }

    @Test("One drain runs at a time and covers the items present when it begins")
    func turns() {
        var outbox = BoundedQueue<Int>()
        #expect(outbox.scheduleDrainIfNeeded() == false)
        outbox.append(1)
        #expect(outbox.scheduleDrainIfNeeded() == true)
        outbox.append(2)
        // A drain is already scheduled.
        #expect(outbox.scheduleDrainIfNeeded() == false)
        outbox.beginDrain()
        #expect(outbox.popFirst() == 1)
        outbox.append(3)
        #expect(outbox.scheduleDrainIfNeeded() == false)
        #expect(outbox.countSinceDrainBegan == 1)
        #expect(outbox.isDraining)
        #expect(outbox.popFirst() == 2)
        // Items appended during the drain are left for the next one.
        #expect(!outbox.isDraining)
        #expect(outbox.finishDrain() == true)
        outbox.beginDrain()
        #expect(outbox.popFirst() == 3)
        #expect(outbox.finishDrain() == false)
        #expect(outbox.scheduleDrainIfNeeded() == false)
    }

    @Test("Dropped and removed items are no longer part of the drain")
    func shrinkingTurn() {
        var outbox = BoundedQueue<Int>()
        for number in 0..<4 { outbox.append(number) }
        #expect(outbox.scheduleDrainIfNeeded() == true)
        outbox.beginDrain()
        outbox.append(4, limit: 4)
        #expect(outbox.countSinceDrainBegan == 1)
        outbox.removeAll { $0 == 2 }
        var received: [Int] = []
        while outbox.isDraining, let number = outbox.popFirst() { received.append(number) }
        #expect(received == [1, 3])
        outbox.reset()
        #expect(outbox.finishDrain() == false)
        outbox.append(5)
        #expect(outbox.scheduleDrainIfNeeded() == true)
        outbox.reset()
        outbox.append(6)
        #expect(outbox.scheduleDrainIfNeeded() == true)
    }

    @Test("Items left by a drain precede those appended during it")
    func leftOver() {
        var outbox = BoundedQueue<Int>()
        for number in 0..<4 { outbox.append(number) }
        #expect(outbox.scheduleDrainIfNeeded() == true)
        outbox.beginDrain()
        #expect(outbox.popFirst() == 0)
        outbox.append(4)
        #expect(outbox.last == 4)
        #expect(outbox.finishDrain() == true)
        #expect(!outbox.isDraining)
        #expect(outbox.countSinceDrainBegan == 4)
        outbox.beginDrain()
        var received: [Int] = []
        while let number = outbox.popFirst() { received.append(number) }
        #expect(received == [1, 2, 3, 4])
    }

    @Test("A drain of hundreds of thousands of items completes")
    func large() {
        // If each removal moved the remaining items, this would move about 3,000 GB.
        let state = Mutex(BoundedQueue<SIMD8<Double>>())
        state.withLock { outbox in for number in 0..<300_000 { outbox.append(SIMD8(repeating: Double(number))) } }
        var next = 0.0
        state.drain(\.self) { item in
            if item[0] == next { next += 1 }
        }
        #expect(next == 300_000)
    }
}
