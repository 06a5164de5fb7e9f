// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@testable import UdevSource

@Suite("Bounded message queue", .timeLimit(.minutes(5)))
struct MessageQueueTests {
    @Test("A full queue blocks the posting thread, and no messages are lost")
    func bounded() throws {
        let queue = MessageQueue<Int>(limit: 10)
        let handled = Mutex<[Int]>([])
        let maximum = Atomic<Int>(0)
        let (isBlocked, continues, isDone, last) = (
            BinarySemaphore(), BinarySemaphore(), BinarySemaphore(), BinarySemaphore()
        )
        let handle: @Sendable (Int) -> Void = { message in
            handled.withLock { $0.append(message) }
            guard message == 0 else {
                maximum.max(queue.count, ordering: .relaxed)
                return
            }
            isBlocked.signal()
            continues.wait(seconds: 60)
        }
        try WorkerThread.start { queue.post(0, .blocking, handle: handle) }
        #expect(isBlocked.wait(seconds: 60))
        try WorkerThread.start {
            for message in 1...1000 { queue.post(message, .blocking, handle: handle) }
            isDone.signal()
        }
        // Ten messages are queued behind the one being handled. The eleventh blocks its thread.
        let limit = ContinuousClock.now + .seconds(60)
        while queue.blockedThreadCount == 0, queue.count < 1000, ContinuousClock.now < limit {
            last.wait(seconds: 0.002)
        }
        #expect(queue.count == 10)
        #expect(queue.blockedThreadCount == 1)
        continues.signal()
        #expect(isDone.wait(seconds: 60))
        queue.post(1001) { message in
            handle(message)
            last.signal()
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while handled.withLock({ $0.count }) < 1002, ContinuousClock.now < deadline { last.wait(seconds: 0.002) }
        #expect(handled.withLock { $0 } == Array(0...1001))
        #expect(maximum.load(ordering: .relaxed) <= 11)
    }

    @Test("Messages posted by the handler itself are accepted beyond the limit")
    func reentrant() {
        let queue = MessageQueue<Int>(limit: 2)
        let handled = Mutex<[Int]>([])
        queue.post(0, .blocking) { message in
            handled.withLock { $0.append(message) }
            guard message == 0 else { return }
            for next in 1...5 { queue.post(next, .blocking) { _ in } }
        }
        #expect(handled.withLock { $0 } == [0, 1, 2, 3, 4, 5])
    }

    @Test("A message equal to a queued message is dropped")
    func once() {
        let queue = MessageQueue<String>()
        let handled = Mutex<[String]>([])
        queue.post("begin") { message in
            handled.withLock { $0.append(message) }
            guard message == "begin" else { return }
            for next in ["look", "other", "look", "look"] {
                queue.post(next, .coalescing(isSame: { $0 == next })) { _ in }
            }
        }
        queue.post("look", .coalescing(isSame: { $0 == "look" })) { message in handled.withLock { $0.append(message) }
        }
        #expect(handled.withLock { $0 } == ["begin", "look", "other", "look"])
    }
}
