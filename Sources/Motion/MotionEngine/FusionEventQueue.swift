// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Holds the subscribers and a queue of events for them, in order. A `BoundedQueue` is not suitable, because states may
/// be delivered without being queued, and because a drain may stop before states that a different thread has queued and
/// will deliver.
struct FusionEventQueue: Sendable {
    struct Item: Sendable {
        var client: FusionSubscriber
        var event: FusionEvent
    }

    /// States to deliver to all subscribers directly, without queueing them.
    struct DirectBatch: Sendable {
        let subscribers: [FusionSubscriber]
        let states: [FusedState]
    }

    /// The maximum number of queued events. If there are more, the oldest states are dropped.
    private static let limit = 1024

    private var subscribers: [FusionSubscriber] = []
    /// The decimators of the subscribers, in the same order.
    private var decimators: [Decimator] = []
    private var queue: [Item] = []
    /// True while a thread delivers events.
    private var isDelivering = false

    var requests: [FusionRequest] { subscribers.map(\.request) }
    var hasNoSubscribers: Bool { subscribers.isEmpty }

    mutating func add(_ client: FusionSubscriber) {
        subscribers.append(client)
        decimators.append(Decimator(interval: client.request.interval))
    }

    mutating func remove(_ client: FusionSubscriber) {
        if let index = subscribers.firstIndex(where: { $0 === client }) {
            subscribers.remove(at: index)
            decimators.remove(at: index)
        }
        queue.removeAll { $0.client === client }
    }

    /// Begins direct delivery of the states if no events are queued or being delivered and every subscriber receives
    /// all states. The caller must then deliver the returned batch. Otherwise, queues the states and returns nil.
    mutating func beginDirectDelivery(of states: [FusedState], interval: @autoclosure () -> Double?) -> DirectBatch? {
        guard !states.isEmpty else { return nil }
        guard !isDelivering, queue.isEmpty, !subscribers.isEmpty,
            decimators.indices.allSatisfy({ receivesAll($0, interval()) })
        else {
            enqueue(states, interval: interval())
            return nil
        }
        isDelivering = true
        return DirectBatch(subscribers: subscribers, states: states)
    }

    /// Queues the states for each subscriber, decimated to the interval that the subscriber requested. `interval` is
    /// the interval between the states in seconds; nil if unknown.
    mutating func enqueue(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in subscribers.indices {
            let taken = receivesAll(index, interval()) ? states : states.filter { decimators[index].selects($0.time) }
            if !taken.isEmpty { enqueue(.states(taken), for: subscribers[index]) }
        }
    }

    /// Returns true if a subscriber receives every state, because it requested all states or an interval at most 2 %
    /// longer than the interval between states.
    private func receivesAll(_ index: Int, _ interval: @autoclosure () -> Double?) -> Bool {
        let wanted = decimators[index].interval
        return wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
    }

    mutating func enqueue(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for client in subscribers where client.needsSensor(sensor) { enqueue(event, for: client) }
    }

    mutating func enqueue(_ event: FusionEvent, for client: FusionSubscriber) {
        if queue.count >= Self.limit {
            // States are dropped first, because losses and recoveries are rare.
            queue.remove(at: queue.firstIndex { $0.event.isStates } ?? 0)
        }
        queue.append(Item(client: client, event: event))
    }

    /// Begins delivery and returns the queued events. If `upToStates` is true, returns only the events before the first
    /// states, which are left to the thread that queued them. Returns nil if there are no such events or a different
    /// thread is delivering.
    mutating func beginDrain(upToStates: Bool) -> [Item]? {
        guard !isDelivering, let items = removeEvents(upToStates: upToStates) else { return nil }
        isDelivering = true
        return items
    }

    /// Returns the events that were queued during the delivery. If no events were queued, ends the delivery and returns
    /// nil.
    mutating func continueDrain(upToStates: Bool) -> [Item]? {
        let items = removeEvents(upToStates: upToStates)
        if items == nil { isDelivering = false }
        return items
    }

    var isEmpty: Bool { queue.isEmpty }

    /// True if events are queued and no thread is delivering them.
    var needsDrain: Bool { !isDelivering && !queue.isEmpty }

    private mutating func removeEvents(upToStates: Bool) -> [Item]? {
        let end = upToStates ? queue.firstIndex { $0.event.isStates } ?? queue.count : queue.count
        guard end > 0 else { return nil }
        if end == queue.count { return exchange(&queue, with: []) }
        defer { queue.removeSubrange(..<end) }
        return Array(queue[..<end])
    }
}

extension FusionEvent {
    fileprivate var isStates: Bool { if case .states = self { true } else { false } }
}

/// A subscriber of an engine.
package final class EventSubscriber<Request: Sendable, Event: Sendable>: Sendable {
    package let request: Request
    private let receive: @Sendable (Event) -> Void
    private let isActive = Atomic<Bool>(true)

    package init(_ request: Request, receive: @escaping @Sendable (Event) -> Void) {
        (self.request, self.receive) = (request, receive)
    }

    /// Delivers the event unless the subscription has been cancelled, which may happen during any callback.
    package func deliver(_ event: Event) { if isActive.load(ordering: .acquiring) { receive(event) } }

    package func cancel() { isActive.store(false, ordering: .releasing) }
}

typealias FusionSubscriber = EventSubscriber<FusionRequest, FusionEvent>

extension FusionSubscriber {
    /// Returns true if the loss of a sensor must be reported to the subscriber.
    func needsSensor(_ sensor: SampleAligner.Sensor) -> Bool {
        switch sensor {
        case .accelerometer: true
        case .gyroscope: request.need >= .attitude
        case .magnetometer: request.need == .heading
        }
    }
}
