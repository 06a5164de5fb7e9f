// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import MotionEngine

@Suite("Fusion event queue")
struct FusionEventQueueTests {
    private let subscriber = FusionSubscriber(FusionRequest(need: .gravity)) { _ in }

    @Test("A full queue drops the oldest states, but keeps losses and recoveries")
    func fullQueue() {
        var queue = FusionEventQueue()
        queue.add(subscriber)
        queue.enqueue(.regained(.accelerometer), for: subscriber)
        let states = [FusedState(time: .zero), FusedState(time: .zero)]
        for _ in 0..<1030 { queue.enqueue(states, interval: nil) }
        var events: [FusionEvent] = []
        var item = queue.beginDrain(upToStates: false)
        while let current = item {
            events.append(current.event)
            item = queue.continueDrain(upToStates: false)
        }
        #expect(events.count == 1025)
        if case .regained? = events.first {} else { Issue.record("the recovery is missing") }
        #expect(!queue.needsDrain)
    }

    @Test("A drain up to the states leaves these to the next drain")
    func statesRemain() {
        var queue = FusionEventQueue()
        queue.add(subscriber)
        queue.enqueue(.regained(.accelerometer), for: subscriber)
        queue.enqueue([FusedState(time: .zero)], interval: nil)
        let first = queue.beginDrain(upToStates: true)
        #expect(first != nil)
        let others = [queue.beginDrain(upToStates: false), queue.continueDrain(upToStates: true)]
        #expect(others.allSatisfy { $0 == nil })
        #expect(queue.needsDrain)
        let batch = queue.beginDirectDelivery(of: [FusedState(time: .zero)], interval: nil)
        #expect(batch == nil)
        let second = queue.beginDrain(upToStates: false)
        #expect(second != nil)
        #expect(!queue.needsDrain)
    }
}
