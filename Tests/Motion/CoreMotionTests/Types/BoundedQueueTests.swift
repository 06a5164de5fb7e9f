// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import CoreMotion

@Suite("Bounded queue")
struct BoundedQueueTests {
    @Test("It gives back what it took, in order, while it grows and goes round", arguments: [1, 2, 5, 16, 40])
    func order(limit: Int) {
        var queue = BoundedQueue<Int>(limit: limit)
        // The same with an array.
        var model: [Int] = []
        var dropped = 0
        for number in 0..<500 {
            queue.append(number)
            model.append(number)
            if model.count > limit {
                model.removeFirst()
                dropped += 1
            }
            if number % 3 == 0 { #expect(queue.takeFirst() == (model.isEmpty ? nil : model.removeFirst())) }
            #expect(queue.count == model.count)
        }
        #expect(queue.dropped == dropped)
        while let number = queue.takeFirst() { #expect(number == model.removeFirst()) }
        #expect(model.isEmpty)
        #expect(queue.isEmpty)
    }

    @Test("What is forgotten is not counted as dropped")
    func removeAll() {
        var queue = BoundedQueue<Int>(limit: 4)
        for number in 0..<6 { queue.append(number) }
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.dropped == 2)
        queue.append(9)
        #expect(queue.takeFirst() == 9)
    }

    @Test("The news of a loss moves up when readings before it make way")
    func lossAmongDropped() {
        var mailbox = Mailbox<Int>(limit: 3)
        mailbox.empty(isOpen: true)
        mailbox.add(0)
        mailbox.add(1)
        mailbox.add(.loss(.gyroscope, DeviceError(.silent, "quiet")))
        for number in 2...3 { mailbox.add(number) }
        var told: [String] = []
        while let item = mailbox.takeFirst() {
            switch item {
            case .value(let value): told.append("\(value)")
            case .failure: told.append("loss")
            }
        }
        #expect(told == ["1", "loss", "2", "3"])
        #expect(mailbox.latest == 3)
    }
}
