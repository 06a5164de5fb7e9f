// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One who listens to a hub.
final class Subscriber<Notes: Sendable & ~Copyable, Event: Sendable>: Sendable {
    /// What the hub keeps of it: what it asked for, or what it has not heard yet.
    let notes: Notes
    private let receive: @Sendable (Event) -> Void
    private let runEnded: @Sendable () -> Void
    private let isActive = Atomic<Bool>(true)

    init(
        _ notes: consuming Notes, receive: @escaping @Sendable (Event) -> Void,
        settled: @escaping @Sendable () -> Void = {}
    ) {
        self.notes = notes
        self.receive = receive
        runEnded = settled
    }

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback.
    func tell(_ event: Event) { if isActive.load(ordering: .acquiring) { receive(event) } }

    /// Tells that a run of events is over.
    func settled() { if isActive.load(ordering: .acquiring) { runEnded() } }

    /// Nothing is handed over from now on.
    func leave() { isActive.store(false, ordering: .releasing) }
}

/// Those who listen to a hub, and what the hub knows, under one lock. It is not held while subscribers run.
final class Audience<Known: Sendable, Notes: Sendable & ~Copyable, Event: Sendable>: Sendable {
    typealias Member = Subscriber<Notes, Event>

    struct State: Sendable {
        var known: Known
        fileprivate(set) var subscribers: [Member] = []
        /// Why there is nothing to hear; nil when there is.
        var loss: DeviceError?

        /// Takes note that the source is lost, or, with nil, back; returns those to whom that is news.
        mutating func note(loss new: DeviceError?) -> [Member] {
            defer { loss = new }
            return (loss == nil) == (new == nil) ? [] : subscribers
        }

        mutating func remove(_ subscriber: Member) { subscribers.removeAll { $0 === subscriber } }
    }

    private let state: Mutex<State>
    let demandChanged: @Sendable () -> Void
    private let lossEvent: @Sendable (DeviceError?) -> Event?

    /// - Parameter demandChanged: Must look at `isWanted` itself: two changes may reach it out of order.
    /// - Parameter lossEvent: What tells of a loss, or, with nil, of its end.
    init(
        _ known: Known, demandChanged: @escaping @Sendable () -> Void = {},
        lossEvent: @escaping @Sendable (DeviceError?) -> Event? = { _ in nil }
    ) {
        state = Mutex(State(known: known))
        self.demandChanged = demandChanged
        self.lossEvent = lossEvent
    }

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    var isWanted: Bool { withLock { !$0.subscribers.isEmpty } }

    /// Adds a subscriber when it knows what the others know, so that no event overtakes what it is told of a loss here.
    ///
    /// - Parameter prepare: Called before each look whether that is so, with the loss that the newcomer knows of, and with
    ///   the lock held.
    func join(_ subscriber: Member, prepare: (inout State, _ told: DeviceError?) -> Void = { _, _ in }) {
        var told: DeviceError?
        while true {
            let (isAdded, loss) = withLock { state -> (Bool, DeviceError?) in
                prepare(&state, told)
                guard (state.loss == nil) == (told == nil) else { return (false, state.loss) }
                state.subscribers.append(subscriber)
                return (true, nil)
            }
            if isAdded { return }
            told = loss
            if let event = lossEvent(loss) { subscriber.tell(event) }
            subscriber.settled()
        }
    }

    /// What keeps a subscriber that has joined.
    func subscription(of subscriber: Member) -> Subscription {
        demandChanged()
        return Subscription { [weak self] in
            subscriber.leave()
            self?.withLock { $0.remove(subscriber) }
            self?.demandChanged()
        }
    }

    /// Changes what is known, and tells all what comes of it. From one thread at a time.
    func tell(_ change: (inout Known) -> Event?) {
        let (event, subscribers) = withLock { state in (change(&state.known), state.subscribers) }
        if let event { for subscriber in subscribers { subscriber.tell(event) } }
    }

    /// The source is lost, or, with nil, back. Each hears of it once. From one thread at a time.
    func tell(loss: DeviceError?) {
        let subscribers = withLock { $0.note(loss: loss) }
        if let event = lossEvent(loss) { for subscriber in subscribers { subscriber.tell(event) } }
    }
}
