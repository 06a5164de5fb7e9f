// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A source of accessories.
public protocol AccessorySource: Sendable {
    /// The attached accessories, sorted by `id`. The first access scans for accessories and takes a few milliseconds.
    var accessories: [AccessoryDescription] { get }

    /// The problems that prevent the source from finding accessories.
    var problems: [DeviceError] { get }

    /// Delivers events to the closure, in order and one at a time, until the subscription ends. The first event lists
    /// the attached accessories and is delivered before this call returns. Changes are delivered on the source's
    /// threads. This call may also deliver changes that occur during delivery of the first event.
    func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription

    /// Opens a protocol of an attached accessory for exclusive access. While the channel exists, a second call for the
    /// same protocol throws `DeviceError.Code.busy`.
    ///
    /// The call usually returns within tens of milliseconds, or within 0.1 s if another program is using the port. If a
    /// channel that this program closed is still sending bytes to the port, the call waits up to 0.1 s longer, and any
    /// bytes not sent by then are lost. If the device hangs and the kernel cannot release the port, the call throws
    /// after one second.
    func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
}

/// An event from an accessory source.
public enum AccessoryEvent: Sendable {
    /// The accessories attached when the subscription begins. Always the first event, and delivered only once.
    case snapshot([AccessoryDescription])
    /// An accessory was attached and is ready to communicate.
    case attached(AccessoryDescription)
    /// An attached accessory's description has changed, for example because a protocol was added.
    case changed(AccessoryDescription)
    /// An accessory was detached. The associated value is its last description.
    case detached(AccessoryDescription)
}

package struct NoAccessorySource: AccessorySource {
    package init() {}

    package var accessories: [AccessoryDescription] { [] }
    package var problems: [DeviceError] { [] }

    package func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        receive(.snapshot([]))
        return Subscription {}
    }

    package func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError)
        -> any ByteChannel
    { throw DeviceError(.notFound, "There is no accessory \(accessory).") }
}

/// Maintains the list of attached accessories, and delivers changes to subscribers in order, one at a time. No lock is
/// held while subscribers run.
package final class AccessoryHub: Sendable {
    private struct Content {
        var accessories: [AccessoryDescription] = []
        var lastID: AccessoryDescription.ID = 0
    }

    /// A subscriber's undelivered events. Several threads may post events, but only one at a time delivers them.
    private typealias Queue = Mutex<BoundedQueue<AccessoryEvent>>
    private typealias Member = Subscriber<Queue, AccessoryEvent>

    private let registry = SubscriberRegistry<Content, Queue, AccessoryEvent>(Content())

    package init() {}

    package var accessories: [AccessoryDescription] { registry.withLock { $0.content.accessories } }

    package func description(of id: AccessoryDescription.ID) -> AccessoryDescription? {
        accessories.first { $0.id == id }
    }

    package var hasSubscribers: Bool { registry.hasSubscribers }

    package func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        let subscriber = Member(Queue(BoundedQueue()), receive: receive)
        registry.add(subscriber) { state in
            let snapshot = AccessoryEvent.snapshot(state.content.accessories)
            subscriber.request.withLock { queue in
                queue.append(snapshot)
                // Marks a drain as scheduled, so that other threads append events without delivering them. The call to
                // `drain` below then delivers the snapshot first.
                _ = queue.scheduleDrainIfNeeded()
            }
        }
        // The subscriber must be started before the call to `drain`. Otherwise, the snapshot would be dropped.
        subscriber.state.startReceiving()
        subscriber.request.drain(\.self, isScheduled: true, subscriber.deliver)
        return registry.subscription(of: subscriber)
    }

    /// Adds the accessory with a new ID, calls `prepare` with that ID while holding the lock, and then notifies the
    /// subscribers.
    @discardableResult package func attach(
        _ description: AccessoryDescription, prepare: (AccessoryDescription.ID) -> Void = { _ in }
    ) -> AccessoryDescription {
        var description = description
        publish { content in
            content.lastID += 1
            description.id = content.lastID
            content.accessories.append(description)
            prepare(content.lastID)
            return .attached(description)
        }
        return description
    }

    /// Does nothing if the accessory is not attached or the description is unchanged.
    package func update(_ description: AccessoryDescription) {
        publish { content in
            guard let index = content.accessories.firstIndex(where: { $0.id == description.id }),
                content.accessories[index] != description
            else { return nil }
            content.accessories[index] = description
            return .changed(description)
        }
    }

    @discardableResult package func detach(_ id: AccessoryDescription.ID) -> AccessoryDescription? {
        var removed: AccessoryDescription?
        publish { content in
            guard let index = content.accessories.firstIndex(where: { $0.id == id }) else { return nil }
            let description = content.accessories.remove(at: index)
            removed = description
            return .detached(description)
        }
        return removed
    }

    private func publish(_ change: (inout Content) -> AccessoryEvent?) {
        let subscribers = registry.withLock { state -> [Member] in
            guard let event = change(&state.content) else { return [] }
            Self.append(event, to: state.subscribers)
            return state.subscribers
        }
        Self.drain(subscribers)
    }

    // The compiler generates a copy of `publish` for each closure. The following functions are separate so that they
    // are not copied.
    private static func append(_ event: AccessoryEvent, to subscribers: [Member]) {
        for subscriber in subscribers { subscriber.request.withLock { _ = $0.append(event) } }
    }

    private static func drain(_ subscribers: [Member]) {
        for subscriber in subscribers { subscriber.request.drain(\.self, subscriber.deliver) }
    }
}
