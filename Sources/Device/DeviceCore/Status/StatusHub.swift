// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the state of a machine and tells subscribers what changes.
///
/// A source or a player owns one and calls `post` from one thread at a time. No lock is held while subscribers run.
public final class StatusHub: StatusSource {
    private final class Subscriber: Sendable {
        let receive: @Sendable (BatteryReading?) -> Void
        let isActive = Atomic<Bool>(true)

        init(receive: @escaping @Sendable (BatteryReading?) -> Void) { self.receive = receive }
    }

    private struct State {
        var battery: BatteryReading?
        var subscribers: [Subscriber] = []
    }

    private let state: Mutex<State>
    private let demandChanged: @Sendable () -> Void

    /// A hub that starts with that battery; the closure must look at `isWanted` itself.
    public init(battery: BatteryReading? = nil, demandChanged: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(battery: battery))
        self.demandChanged = demandChanged
    }

    /// The battery as it was last posted.
    public var battery: BatteryReading? { state.withLock { $0.battery } }

    /// True while there is a subscriber.
    public var isWanted: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Adds a subscriber.
    public func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        let subscriber = Subscriber(receive: receive)
        state.withLock { $0.subscribers.append(subscriber) }
        demandChanged()
        return Subscription { [weak self] in
            subscriber.isActive.store(false, ordering: .releasing)
            self?.state.withLock { state in state.subscribers.removeAll { $0 === subscriber } }
            self?.demandChanged()
        }
    }

    /// The battery as it is now. Subscribers hear of it when it differs from what it was.
    public func post(_ battery: BatteryReading?) {
        let subscribers = state.withLock { state -> [Subscriber] in
            guard state.battery != battery else { return [] }
            state.battery = battery
            return state.subscribers
        }
        for subscriber in subscribers where subscriber.isActive.load(ordering: .acquiring) {
            subscriber.receive(battery)
        }
    }
}
