// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import MotionEngine

@Suite("Fusion event queue")
struct FusionEventQueueTests {
    @Test("A full queue drops and counts the oldest states, but keeps losses and recoveries")
    func fullQueue() {
        let subscriber = FusionSubscriber(FusionRequest(need: .gravity)) { _ in }
        var queue = FusionEventQueue()
        queue.add(subscriber)
        queue.enqueue(.regained(.accelerometer), for: subscriber)
        let states = [FusedState(time: .zero), FusedState(time: .zero)]
        for _ in 0..<1030 { queue.enqueue(states, interval: nil) }
        // Of 1,031 events, 1,024 fit into the queue. Each dropped event has two states.
        #expect(queue.droppedStateCount == 14)
        let items = queue.beginDrain(upToStates: false) ?? []
        #expect(items.count == 1024)
        if case .regained? = items.first?.event {} else { Issue.record("The recovery is missing.") }
    }
}
