// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import Dispatch
import Synchronization
import Testing

@testable import DeviceCore

@Suite("Subscriptions")
struct SubscriptionTests {
    private final class Count: Sendable {
        private let number = Atomic<Int>(0)
        var value: Int { number.load(ordering: .relaxed) }
        func add() { number.add(1, ordering: .relaxed) }
    }

    @Test("Repeated and concurrent cancellations end a subscription once")
    func cancelsOnce() {
        let count = Count()
        let subscription = Subscription { count.add() }
        #expect(!subscription.isCancelled)
        DispatchQueue.concurrentPerform(iterations: 64) { _ in subscription.cancel() }
        #expect(count.value == 1)
        #expect(subscription.isCancelled)
    }

    @Test("Releasing a subscription ends it")
    func endsOnRelease() {
        let count = Count()
        var subscription: Subscription? = Subscription { count.add() }
        #expect(subscription?.isCancelled == false)
        #expect(count.value == 0)
        subscription = nil
        #expect(count.value == 1)
    }

    @Test("Releasing a cancelled subscription does not end it again")
    func cancelThenRelease() {
        let count = Count()
        do {
            let subscription = Subscription { count.add() }
            subscription.cancel()
        }
        #expect(count.value == 1)
    }

    @Test("A subscription can be cancelled during its cancellation")
    func reentered() {
        let count = Count()
        let inner = Mutex<Subscription?>(nil)
        let subscription = Subscription {
            count.add()
            inner.withLock { $0 }?.cancel()
        }
        inner.withLock { $0 = subscription }
        subscription.cancel()
        #expect(count.value == 1)
        inner.withLock { $0 = nil }
    }

    @Test("A standing subscription starts the new request before it ends the previous one")
    func updates() {
        let subscription = RequestSubscription<Int>()
        let log = Mutex<[String]>([])
        func update(_ request: Int?) {
            subscription.update {
                request
            } subscribe: { number in
                log.withLock { $0.append("begin \(number)") }
                return Subscription { log.withLock { $0.append("end \(number)") } }
            }
        }
        for request in [nil, 1, 1, 2, nil, nil, 3] { update(request) }
        #expect(log.withLock { $0 } == ["begin 1", "begin 2", "end 1", "end 2", "begin 3"])
    }
}
