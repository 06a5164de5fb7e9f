// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Holds the subscribers and an ordered queue of events for them. Unlike `BoundedQueue`, it can also deliver states
/// directly, without queueing them. A drain can stop before the first queued states and leave them to another thread.
/// `MotionEngine` guards the queue with its lock, but delivers events outside the lock. A thread that has begun a
/// delivery must call `continueDrain` until it returns nil.
struct FusionEventQueue: Sendable {
    struct Item: Sendable {
        var subscriber: FusionSubscriber
        var event: FusionEvent
    }

    /// States that are delivered without being queued.
    struct DirectBatch: Sendable {
        let subscribers: [FusionSubscriber]
        let states: [FusedState]
    }

    /// The maximum number of queued events. Above the limit, the oldest states are dropped.
    private static let limit = 1024

    private var subscribers: [FusionSubscriber] = []
    private var decimators: [Decimator] = []  // at the same indices as the subscribers
    private var queue: [Item] = []
    private var isDelivering = false
    private(set) var droppedStateCount = 0

    var requests: [FusionRequest] { subscribers.map(\.request) }
    var hasNoSubscribers: Bool { subscribers.isEmpty }

    mutating func add(_ subscriber: FusionSubscriber) {
        subscribers.append(subscriber)
        decimators.append(Decimator(interval: subscriber.request.interval))
    }

    mutating func remove(_ subscriber: FusionSubscriber) {
        if let index = subscribers.firstIndex(where: { $0 === subscriber }) {
            subscribers.remove(at: index)
            decimators.remove(at: index)
        }
        queue.removeAll { $0.subscriber === subscriber }
    }

    /// If the queue is idle and every subscriber receives all states, begins direct delivery and returns the states as
    /// a batch. Otherwise, queues the states and returns nil.
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

    /// Queues the states for each subscriber, decimated to the interval that it requested. `interval` is the driving
    /// sensor's interval in seconds, or nil if it is unknown.
    mutating func enqueue(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in subscribers.indices {
            let selected =
                receivesAll(index, interval()) ? states : states.filter { decimators[index].selects($0.time) }
            if !selected.isEmpty { enqueue(.states(selected), for: subscribers[index]) }
        }
    }

    /// Returns true if the subscriber requested all states, or if its requested interval is at most 2 % longer than the
    /// driving sensor's interval.
    private func receivesAll(_ index: Int, _ interval: @autoclosure () -> Double?) -> Bool {
        let wanted = decimators[index].interval
        return wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
    }

    mutating func enqueue(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for subscriber in subscribers where subscriber.needsSensor(sensor) { enqueue(event, for: subscriber) }
    }

    mutating func enqueue(_ event: FusionEvent, for subscriber: FusionSubscriber) {
        if queue.count >= Self.limit {
            // Drop the oldest states. Losses and recoveries are rare, so they are dropped only if there are no states.
            let dropped = queue.remove(at: queue.firstIndex { $0.event.isStates } ?? 0)
            if case .states(let states) = dropped.event { droppedStateCount += states.count }
        }
        queue.append(Item(subscriber: subscriber, event: event))
    }

    /// Begins a drain and returns the queued events. If `upToStates` is true, returns only the events before the first
    /// states. Returns nil if there are no such events, or if another thread is already delivering events.
    mutating func beginDrain(upToStates: Bool) -> [Item]? {
        guard !isDelivering, let items = removeEvents(upToStates: upToStates) else { return nil }
        isDelivering = true
        return items
    }

    /// Returns the next queued events. If there are none, ends the delivery and returns nil.
    mutating func continueDrain(upToStates: Bool) -> [Item]? {
        let items = removeEvents(upToStates: upToStates)
        if items == nil { isDelivering = false }
        return items
    }

    var isEmpty: Bool { queue.isEmpty }
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

/// A subscription's callback, which can be cancelled.
package final class EventSubscriber<Request: Sendable, Event: Sendable>: Sendable {
    package let request: Request
    private let receive: @Sendable (Event) -> Void
    private let isActive = Atomic<Bool>(true)

    package init(_ request: Request, receive: @escaping @Sendable (Event) -> Void) {
        (self.request, self.receive) = (request, receive)
    }

    /// Calls the closure unless the subscription has been cancelled. Cancellation is possible during any callback.
    package func deliver(_ event: Event) { if isActive.load(ordering: .acquiring) { receive(event) } }

    package func cancel() { isActive.store(false, ordering: .releasing) }
}

typealias FusionSubscriber = EventSubscriber<FusionRequest, FusionEvent>

extension FusionSubscriber {
    func needsSensor(_ sensor: SampleAligner.Sensor) -> Bool {
        switch sensor {
        case .accelerometer: true
        case .gyroscope: request.need >= .attitude
        case .magnetometer: request.need == .heading
        }
    }
}
