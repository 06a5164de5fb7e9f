// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import Testing

@testable import DeviceCore

@Suite("Consumer gate")
struct ConsumerGateTests {
    @Test("An idle gate does not suspend its callers")
    func idle() async {
        let gate = ConsumerGate()
        #expect(gate.isIdle)
        await gate.waitUntilIdle()
        await gate.waitForConsumers(0)
    }

    @Test("waitUntilIdle returns after the last consumer has finished", .timeLimit(.minutes(30)))
    func waitsUntilIdle() async {
        let gate = ConsumerGate()
        gate.beginElement()
        gate.beginElement()
        #expect(!gate.isIdle)
        async let waiting: Void = gate.waitUntilIdle()
        gate.endElement()
        #expect(!gate.isIdle)
        gate.endElement()
        await waiting
        #expect(gate.isIdle)
    }

    @Test("waitForConsumers returns once enough consumers have entered", .timeLimit(.minutes(30)))
    func waitsForConsumers() async {
        let gate = ConsumerGate()
        gate.addConsumer()
        gate.addConsumer()
        gate.removeConsumer()
        async let waiting: Void = gate.waitForConsumers(2)
        gate.addConsumer()
        await waiting
    }

    @Test("waitUntilIdle resumes all concurrent waiters", .timeLimit(.minutes(30)))
    func manyWaiters() async {
        let gate = ConsumerGate()
        gate.beginElement()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await gate.waitUntilIdle() } }
            group.addTask { gate.endElement() }
        }
        #expect(gate.isIdle)
    }

    private struct Numbers: ConsumerBuffer {
        var waiting: [Int] = []

        mutating func popFirst() -> Int? { waiting.isEmpty ? nil : waiting.removeFirst() }
    }

    @Test("A loop that consumes one element after another is never idle in between", .timeLimit(.minutes(30)))
    func staysBusy() async {
        for _ in 0..<200 {
            let gate = ConsumerGate()
            let loop = ConsumerLoop(Numbers(waiting: Array(0..<200)), gate: gate)
            _ = loop.start { _ in }
            // The first element is consumed here, so that the wait covers the rest.
            #expect(await loop.next {} == 0)
            async let consuming: Void = { while await loop.next(onCancel: {}) != nil {} }()
            await gate.waitUntilIdle()
            #expect(loop.read(\.waiting).isEmpty)
            loop.finish()
            await consuming
        }
    }
}
