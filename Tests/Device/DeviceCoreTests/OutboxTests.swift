// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

@Suite("Outbox")
struct OutboxTests {
    @Test("It gives back what it took, in order, while it grows and goes round", arguments: [1, 2, 5, 16, 40])
    func order(limit: Int) {
        var outbox = Outbox<Int>()
        // The same with an array.
        var model: [Int] = []
        var dropped = 0
        for number in 0..<500 {
            outbox.append(number, limit: limit)
            model.append(number)
            if model.count > limit {
                model.removeFirst()
                dropped += 1
            }
            if number % 3 == 0 { #expect(outbox.takeFirst() == (model.isEmpty ? nil : model.removeFirst())) }
            #expect(outbox.count == model.count)
            #expect(outbox.first == model.first)
            #expect(outbox.last == model.last)
        }
        #expect(outbox.dropped == dropped)
        while let number = outbox.takeFirst() { #expect(number == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(outbox.isEmpty)
    }

    @Test("What is forgotten is not counted as dropped")
    func removeAll() {
        var outbox = Outbox<Int>()
        for number in 0..<6 { outbox.append(number, limit: 4) }
        outbox.removeAll()
        #expect(outbox.isEmpty)
        #expect(outbox.dropped == 2)
        outbox.append(9)
        #expect(outbox.takeFirst() == 9)
    }

    @Test("Only items of a kind make way for one another")
    func kinds() {
        var outbox = Outbox<Int>()
        func isEven(_ number: Int) -> Bool { number % 2 == 0 }
        for number in [1, 3, 2, 5, 4, 7] { outbox.append(number, limit: 2) { isEven($0) == isEven(number) } }
        // Of the odd ones 5 and 7 are left, of the even ones both.
        #expect(outbox.dropped == 2)
        let madeWay = outbox.append(6, limit: 2, of: isEven)
        #expect(madeWay)
        outbox.removeAll { $0 == 7 }
        let holdsSeven = outbox.contains { $0 == 7 }
        #expect(!holdsSeven)
        #expect([outbox.takeFirst(), outbox.takeFirst(), outbox.takeFirst(), outbox.takeFirst()] == [5, 4, 6, nil])
    }

    @Test("There is one turn at a time, for what waited when it began")
    func turns() {
        var outbox = Outbox<Int>()
        #expect(outbox.claimTurn() == false)
        outbox.append(1)
        #expect(outbox.claimTurn() == true)
        outbox.append(2)
        // It is due already.
        #expect(outbox.claimTurn() == false)
        outbox.beginTurn()
        #expect(outbox.takeFirst() == 1)
        outbox.append(3)
        #expect(outbox.claimTurn() == false)
        #expect(outbox.countAfterTurn == 1)
        #expect(outbox.isInTurn)
        #expect(outbox.takeFirst() == 2)
        // What came in meanwhile is for the next one.
        #expect(!outbox.isInTurn)
        #expect(outbox.endTurn() == true)
        outbox.beginTurn()
        #expect(outbox.takeFirst() == 3)
        #expect(outbox.endTurn() == false)
        #expect(outbox.claimTurn() == false)
    }

    @Test("What is dropped or forgotten leaves the turn, too")
    func shrinkingTurn() {
        var outbox = Outbox<Int>()
        for number in 0..<4 { outbox.append(number) }
        #expect(outbox.claimTurn() == true)
        outbox.beginTurn()
        outbox.append(4, limit: 4)
        #expect(outbox.countAfterTurn == 1)
        outbox.removeAll { $0 == 2 }
        var told: [Int] = []
        while outbox.isInTurn, let number = outbox.takeFirst() { told.append(number) }
        #expect(told == [1, 3])
        outbox.startAnew()
        #expect(outbox.endTurn() == false)
        outbox.append(5)
        #expect(outbox.claimTurn() == true)
        outbox.startAnew()
        outbox.append(6)
        #expect(outbox.claimTurn() == true)
    }

    @Test("What a turn leaves over waits again, before what came in meanwhile")
    func leftOver() {
        var outbox = Outbox<Int>()
        for number in 0..<4 { outbox.append(number) }
        #expect(outbox.claimTurn() == true)
        outbox.beginTurn()
        #expect(outbox.takeFirst() == 0)
        outbox.append(4)
        #expect(outbox.last == 4)
        #expect(outbox.endTurn() == true)
        #expect(!outbox.isInTurn)
        #expect(outbox.countAfterTurn == 4)
        outbox.beginTurn()
        var told: [Int] = []
        while let number = outbox.takeFirst() { told.append(number) }
        #expect(told == [1, 2, 3, 4])
    }

    @Test("A turn of hundreds of thousands comes to its end")
    func large() {
        // Were each to move the others, this would move three thousand gigabytes.
        let state = Mutex(Outbox<SIMD8<Double>>())
        state.withLock { outbox in for number in 0..<300_000 { outbox.append(SIMD8(repeating: Double(number))) } }
        var next = 0.0
        state.handOn(\.self) { item in
            if item[0] == next { next += 1 }
        }
        #expect(next == 300_000)
    }
}
