// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Knows what is attached and tells its subscribers, each in order.
///
/// A source owns one and tells it what comes and goes; sources that open channels themselves wrap it. No lock is held
/// while subscribers run, and none of them hears two events at a time.
public final class AccessoryHub: Sendable {
    private struct State {
        var accessories: [AccessoryDescription] = []
        var subscribers: [AccessorySubscriber] = []
        var last: AccessoryDescription.ID = 0
    }

    private let state = Mutex(State())

    /// A hub to which nothing is attached.
    public init() {}

    /// What is attached, by rising id.
    public var accessories: [AccessoryDescription] { state.withLock { $0.accessories } }

    /// The accessory of that id; nil when it is gone.
    public func description(of id: AccessoryDescription.ID) -> AccessoryDescription? {
        state.withLock { state in state.accessories.first { $0.id == id } }
    }

    /// True while somebody listens.
    public var isWanted: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Adds a subscriber, which hears the snapshot before this call returns.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        let subscriber = AccessorySubscriber(receive)
        state.withLock { state in
            state.subscribers.append(subscriber)
            subscriber.begin(.snapshot(state.accessories))
        }
        subscriber.deliver(isFirst: true)
        return Subscription { [weak self] in
            subscriber.leave()
            self?.state.withLock { $0.subscribers.removeAll { $0 === subscriber } }
        }
    }

    /// An accessory is attached; returns its description with the id that it gets.
    @discardableResult
    public func attach(_ description: AccessoryDescription) -> AccessoryDescription {
        attach(description, prepare: { _ in })
    }

    /// An accessory is attached. The closure is called with its id before anybody is told, with a lock held.
    @discardableResult
    package func attach(
        _ description: AccessoryDescription, prepare: (AccessoryDescription.ID) -> Void
    ) -> AccessoryDescription {
        var description = description
        tell { state in
            state.last += 1
            description.id = state.last
            state.accessories.append(description)
            prepare(state.last)
            return .attached(description)
        }
        return description
    }

    /// An accessory is described otherwise from now on; nothing when it is gone, or when nothing has changed.
    public func change(_ description: AccessoryDescription) {
        tell { state in
            guard let index = state.accessories.firstIndex(where: { $0.id == description.id }),
                state.accessories[index] != description
            else { return nil }
            state.accessories[index] = description
            return .changed(description)
        }
    }

    /// An accessory is gone; returns what was known of it, nil when it was gone before.
    @discardableResult
    public func detach(_ id: AccessoryDescription.ID) -> AccessoryDescription? {
        var former: AccessoryDescription?
        tell { state in
            guard let index = state.accessories.firstIndex(where: { $0.id == id }) else { return nil }
            let description = state.accessories.remove(at: index)
            former = description
            return .detached(description)
        }
        return former
    }

    private func tell(_ change: (inout State) -> AccessoryEvent?) {
        let subscribers = state.withLock { state -> [AccessorySubscriber] in
            guard let event = change(&state) else { return [] }
            for subscriber in state.subscribers { subscriber.add(event) }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.deliver() }
    }
}

/// Hears events one at a time and in the order in which they were added, whichever threads bring them.
final class AccessorySubscriber: Sendable {
    private struct State {
        var outbox = Outbox<AccessoryEvent>()
        var hasLeft = false
    }

    private let state = Mutex(State())
    private let receive: @Sendable (AccessoryEvent) -> Void

    init(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) { self.receive = receive }

    func add(_ event: AccessoryEvent) { state.withLock { if !$0.hasLeft { $0.outbox.append(event) } } }

    /// Adds the first event, which the one who subscribes hands on: until that is done nobody else does.
    func begin(_ snapshot: AccessoryEvent) {
        state.withLock { state in
            state.outbox.append(snapshot)
            _ = state.outbox.claimTurn()
        }
    }

    /// Hands on what waits.
    func deliver(isFirst: Bool = false) { state.handOn(\.outbox, isClaimed: isFirst, receive) }

    func leave() {
        state.withLock { state in
            state.hasLeft = true
            state.outbox.removeAll()
        }
    }
}
