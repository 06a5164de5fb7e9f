// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the list of attached accessories and delivers its changes to subscribers, in order.
///
/// A source owns a hub and reports attached and detached accessories to it. Sources that open channels themselves wrap
/// the hub. No lock is held while subscribers run. A subscriber receives one event at a time.
public final class AccessoryHub: Sendable {
    private struct Known {
        var accessories: [AccessoryDescription] = []
        var last: AccessoryDescription.ID = 0
    }

    /// The undelivered events of a subscriber. Events arrive on several threads and are delivered one at a time, in
    /// order.
    private typealias Queue = Mutex<Outbox<AccessoryEvent>>

    private let registry = SubscriberRegistry<Known, Queue, AccessoryEvent>(Known())

    /// Creates a hub without accessories.
    public init() {}

    /// The attached accessories, sorted by `id`.
    public var accessories: [AccessoryDescription] { registry.withLock { $0.content.accessories } }

    /// Returns the description of an attached accessory, or nil if it is not attached.
    public func description(of id: AccessoryDescription.ID) -> AccessoryDescription? {
        accessories.first { $0.id == id }
    }

    /// True while there is a subscriber.
    public var isWanted: Bool { registry.isWanted }

    /// Adds a subscriber, which receives the snapshot before this call returns.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Queue, AccessoryEvent>(Queue(Outbox()), receive: receive)
        registry.add(subscriber) { state in
            let snapshot = AccessoryEvent.snapshot(state.content.accessories)
            subscriber.request.withLock { outbox in
                outbox.append(snapshot)
                // The drain is claimed here so that no other thread delivers events before the snapshot.
                _ = outbox.claimTurn()
            }
        }
        subscriber.state.start()
        subscriber.request.handOn(\.self, isClaimed: true, subscriber.deliver)
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
        tell { known in
            known.last += 1
            description.id = known.last
            known.accessories.append(description)
            prepare(known.last)
            return .attached(description)
        }
        return description
    }

    /// Updates the description of an accessory. Does nothing if the accessory is not attached or the description is
    /// unchanged.
    public func change(_ description: AccessoryDescription) {
        tell { known in
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
        var former: AccessoryDescription?
        tell { known in
            guard let index = known.accessories.firstIndex(where: { $0.id == id }) else { return nil }
            let description = known.accessories.remove(at: index)
            former = description
            return .detached(description)
        }
        return former
    }

    private func tell(_ change: (inout Known) -> AccessoryEvent?) {
        let subscribers = registry.withLock { state -> [Subscriber<Queue, AccessoryEvent>] in
            guard let event = change(&state.content) else { return [] }
            for subscriber in state.subscribers { subscriber.request.withLock { _ = $0.append(event) } }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.request.handOn(\.self, subscriber.deliver) }
    }
}
