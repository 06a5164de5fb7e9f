// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the list of attached accessories and delivers its changes to subscribers, in order.
///
/// A source owns a hub and reports attached and detached accessories to it. Sources that open channels themselves wrap
/// the hub. No lock is held while subscribers run. A subscriber receives one event at a time.
public final class AccessoryHub: Sendable {
    private struct Content {
        var accessories: [AccessoryDescription] = []
        var lastID: AccessoryDescription.ID = 0
    }

    /// The undelivered events of a subscriber. Events arrive on several threads and are delivered one at a time, in
    /// order.
    private typealias Queue = Mutex<BoundedQueue<AccessoryEvent>>

    private let registry = SubscriberRegistry<Content, Queue, AccessoryEvent>(Content())

    /// Creates a hub without accessories.
    public init() {}

    /// The attached accessories, sorted by `id`.
    public var accessories: [AccessoryDescription] { registry.withLock { $0.content.accessories } }

    /// Returns the description of an attached accessory, or nil if it is not attached.
    public func description(of id: AccessoryDescription.ID) -> AccessoryDescription? {
        accessories.first { $0.id == id }
    }

    /// True while there is a subscriber.
    public var hasSubscribers: Bool { registry.hasSubscribers }

    /// Adds a subscriber, which receives the snapshot before this call returns.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Queue, AccessoryEvent>(Queue(BoundedQueue()), receive: receive)
        registry.add(subscriber) { state in
            let snapshot = AccessoryEvent.snapshot(state.content.accessories)
            subscriber.request.withLock { outbox in
                outbox.append(snapshot)
                // The drain is claimed here so that no other thread delivers events before the snapshot.
                _ = outbox.scheduleDrainIfNeeded()
            }
        }
        subscriber.state.start()
        subscriber.request.drain(\.self, isScheduled: true, subscriber.deliver)
        return registry.subscription(of: subscriber)
    }

    /// Registers an attached accessory and returns its description with the assigned `id`.
    @discardableResult
    public func attach(_ description: AccessoryDescription) -> AccessoryDescription {
        attach(description, prepare: { _ in })
    }

    /// Registers an attached accessory. Calls the closure with the assigned `id` before subscribers are notified, with
    /// the lock held.
    @discardableResult
    package func attach(
        _ description: AccessoryDescription, prepare: (AccessoryDescription.ID) -> Void
    ) -> AccessoryDescription {
        var description = description
        publish { known in
            known.lastID += 1
            description.id = known.lastID
            known.accessories.append(description)
            prepare(known.lastID)
            return .attached(description)
        }
        return description
    }

    /// Updates the description of an accessory. Does nothing if the accessory is not attached or the description is
    /// unchanged.
    public func update(_ description: AccessoryDescription) {
        publish { known in
            guard let index = known.accessories.firstIndex(where: { $0.id == description.id }),
                known.accessories[index] != description
            else { return nil }
            known.accessories[index] = description
            return .changed(description)
        }
    }

    /// Removes an accessory and returns its last description, or nil if it was not attached.
    @discardableResult
    public func detach(_ id: AccessoryDescription.ID) -> AccessoryDescription? {
        var removed: AccessoryDescription?
        publish { known in
            guard let index = known.accessories.firstIndex(where: { $0.id == id }) else { return nil }
            let description = known.accessories.remove(at: index)
            removed = description
            return .detached(description)
        }
        return removed
    }

    private func publish(_ change: (inout Content) -> AccessoryEvent?) {
        let subscribers = registry.withLock { state -> [Subscriber<Queue, AccessoryEvent>] in
            guard let event = change(&state.content) else { return [] }
            for subscriber in state.subscribers { subscriber.request.withLock { _ = $0.append(event) } }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.request.drain(\.self, subscriber.deliver) }
    }
}
