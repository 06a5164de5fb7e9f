// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Knows what is attached and tells its subscribers, each in order.
///
/// A source owns one and tells it what comes and goes; sources that open channels themselves wrap it. No lock is held
/// while subscribers run, and none of them hears two events at a time.
public final class AccessoryHub: Sendable {
    private struct Known {
        var accessories: [AccessoryDescription] = []
        var last: AccessoryDescription.ID = 0
    }

    /// What a subscriber has not heard yet: events come from several threads, and it hears one at a time, in their order.
    private typealias Queue = Mutex<Outbox<AccessoryEvent>>

    private let registry = SubscriberRegistry<Known, Queue, AccessoryEvent>(Known())

    /// A hub to which nothing is attached.
    public init() {}

    /// What is attached, by rising id.
    public var accessories: [AccessoryDescription] { registry.withLock { $0.content.accessories } }

    /// The accessory of that id; nil when it is gone.
    public func description(of id: AccessoryDescription.ID) -> AccessoryDescription? {
        accessories.first { $0.id == id }
    }

    /// True while somebody listens.
    public var isWanted: Bool { registry.isWanted }

    /// Adds a subscriber, which hears the snapshot before this call returns.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Queue, AccessoryEvent>(Queue(Outbox()), receive: receive)
        registry.add(subscriber) { state in
            let snapshot = AccessoryEvent.snapshot(state.content.accessories)
            subscriber.request.withLock { outbox in
                outbox.append(snapshot)
                // The one who subscribes hands that on: until that is done nobody else does.
                _ = outbox.claimTurn()
            }
        }
        subscriber.state.start()
        subscriber.request.handOn(\.self, isClaimed: true, subscriber.deliver)
        return registry.subscription(of: subscriber)
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
        tell { known in
            known.last += 1
            description.id = known.last
            known.accessories.append(description)
            prepare(known.last)
            return .attached(description)
        }
        return description
    }

    /// An accessory is described otherwise from now on; nothing when it is gone, or when nothing has changed.
    public func change(_ description: AccessoryDescription) {
        tell { known in
            guard let index = known.accessories.firstIndex(where: { $0.id == description.id }),
                known.accessories[index] != description
            else { return nil }
            known.accessories[index] = description
            return .changed(description)
        }
    }

    /// An accessory is gone; returns what was known of it, nil when it was gone before.
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
