// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A subscriber of a hub. The hub calls `deliver` on one thread at a time, while another thread may call `notify`.
final class Subscriber<Request: Sendable & ~Copyable, Event: Sendable>: Sendable {
    /// The subscriber's request. In an `AccessoryHub`, which has no requests, this is the subscriber's queue of
    /// undelivered events.
    let request: Request
    private let executor: ExecutorIdentity?
    private let receive: @Sendable (Event) -> Void
    private let onBatchComplete: @Sendable () -> Void
    let state = SubscriberState()

    init(
        _ request: consuming Request, executor: ExecutorIdentity? = nil, receive: @escaping @Sendable (Event) -> Void,
        onBatchComplete: @escaping @Sendable () -> Void = {}
    ) {
        self.request = request
        self.executor = executor
        self.receive = receive
        self.onBatchComplete = onBatchComplete
    }

    /// Delivers the event if the subscriber is active and may be called on this thread. A subscriber that joins while
    /// another executor reads misses the events of that read.
    func deliver(_ event: Event) { if state.isReceiving, DeferredCallbacks.permits(executor) { receive(event) } }

    /// Delivers a status change, even to a subscriber that is still joining.
    func notify(_ event: Event) { receive(event) }

    /// Ends a batch, even for a subscriber that is still joining, because the batch may consist of a status change.
    func completeBatch() { if !state.isCancelled { onBatchComplete() } }
}

/// A hub's subscribers, its source's status and its own state. The lock is not held while subscribers run.
final class SubscriberRegistry<Content: Sendable, Request: Sendable & ~Copyable, Event: Sendable>: Sendable {
    typealias Member = Subscriber<Request, Event>

    struct State: Sendable {
        var content: Content
        fileprivate(set) var subscribers: [Member] = []
        private(set) var status = SourceStatus.unknown

        /// After releasing the lock, the caller must call `SubscriberState.reportStatus` for each subscriber.
        mutating func setStatus(_ new: SourceStatus) {
            status = new
            for subscriber in subscribers { subscriber.state.setStatus(new) }
        }

        mutating func remove(_ subscriber: Member) { subscribers.removeAll { $0 === subscriber } }
    }

    private let state: Mutex<State>
    let demandChanged: @Sendable () -> Void

    /// - Parameter demandChanged: Called whenever a subscriber is added or removed. Calls may arrive out of order, so
    ///   the closure must read the current value of `hasSubscribers`.
    init(_ content: Content, demandChanged: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(content: content))
        self.demandChanged = demandChanged
    }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
    var hasSubscribers: Bool { withLock { !$0.subscribers.isEmpty } }
    var status: SourceStatus { withLock { $0.status } }

    /// Calls `prepare` and adds the subscriber, both while holding the lock. The subscriber receives nothing until
    /// `start` or `startReceiving` is called on its state.
    func add(_ subscriber: Member, prepare: (inout State) -> Void = { _ in }) {
        withLock { state in
            prepare(&state)
            subscriber.state.setStatus(state.status)
            state.subscribers.append(subscriber)
        }
    }

    /// Returns a subscription for a subscriber that has been added and started. Calls `demandChanged`, which may start
    /// the source. If the source were started before the subscriber, the subscriber would miss the first events.
    func subscription(of subscriber: Member) -> Subscription {
        demandChanged()
        return Subscription { [weak self] in
            subscriber.state.cancel()
            self?.withLock { $0.remove(subscriber) }
            self?.demandChanged()
        }
    }

    /// Calls the closure, which updates the hub's content and may return an event. Delivers this event to all
    /// subscribers. Must be called on one thread at a time.
    func publish(_ change: (inout Content) -> Event?) {
        let (event, subscribers) = withLock { state in (change(&state.content), state.subscribers) }
        if let event { for subscriber in subscribers { subscriber.deliver(event) } }
    }
}

extension SubscriberRegistry where Request: ~Copyable, Event: StatusEvent {
    func setStatus(_ status: SourceStatus) {
        let subscribers = withLock { state in
            state.setStatus(status)
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.state.reportStatus(subscriber.notify) }
    }
}
