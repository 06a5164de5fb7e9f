// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Holds the subscribers and a queue of events for them, in order. If the queue is idle, states can also be delivered
/// directly, without queueing them. A drain can stop before the first queued states and leave these to another thread.
/// `MotionEngine` guards the queue with its lock, but delivers outside it. A thread that has begun a delivery must call
/// `continueDrain` until it returns nil.
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

    /// The maximum number of queued batches of states, and of losses and recoveries. Above the limit, the oldest event of
    /// the same kind is dropped, so that states do not displace losses and recoveries, which are rare.
    private static let limit = 1024

    private var subscribers: [FusionSubscriber] = []
    private var decimators: [Decimator] = []  // at the same indices as the subscribers
    private var queue = BoundedQueue<Item>()

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

    /// If the queue is idle and every subscriber receives all states, begins to deliver the states without queueing
    /// them, and returns them as a batch. Otherwise, queues the states and returns nil.
    mutating func beginDirectDelivery(of states: [FusedState], interval: @autoclosure () -> Double?) -> DirectBatch? {
        guard !states.isEmpty else { return nil }
        guard !subscribers.isEmpty, decimators.indices.allSatisfy({ receivesAll($0, interval()) }),
            queue.beginDrainIfIdle()
        else {
            enqueue(states, interval: interval())
            return nil
        }
        return DirectBatch(subscribers: subscribers, states: states)
    }

    /// Decimates the states to each subscriber's interval. `interval` is in seconds, or nil if unknown.
    mutating func enqueue(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in subscribers.indices {
            let selected =
                receivesAll(index, interval()) ? states : states.filter { decimators[index].selects($0.time) }
            if !selected.isEmpty { enqueue(.states(selected), for: subscribers[index]) }
        }
    }

    /// Returns true if the subscriber requested all states, or an interval that is at most 2 % longer than the actual
    /// interval.
    private func receivesAll(_ index: Int, _ interval: @autoclosure () -> Double?) -> Bool {
        let wanted = decimators[index].interval
        return wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
    }

    mutating func enqueue(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for subscriber in subscribers where subscriber.needsSensor(sensor) { enqueue(event, for: subscriber) }
    }

    mutating func enqueue(_ event: FusionEvent, for subscriber: FusionSubscriber) {
        queue.append(Item(subscriber: subscriber, event: event), limit: Self.limit) {
            $0.event.isStates == event.isStates
        }
    }

    /// Begins a drain and returns the first event. Returns nil if there is none, if `upToStates` is true and the first
    /// event contains states, or if another thread is already delivering events.
    mutating func beginDrain(upToStates: Bool) -> Item? {
        queue.scheduleDrainIfNeeded() ? continueDrain(upToStates: upToStates) : nil
    }

    /// Returns the next event. If there is none, or if `upToStates` is true and the next event contains states, ends the
    /// drain and returns nil.
    mutating func continueDrain(upToStates: Bool) -> Item? {
        if !queue.isDraining { queue.beginDrain() }
        if let next = queue.first, !upToStates || !next.event.isStates { return queue.popFirst() }
        queue.stopDrain()
        return nil
    }

    var isEmpty: Bool { queue.isEmpty }
    var needsDrain: Bool { !queue.isDrainScheduled && !queue.isEmpty }
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

    /// Calls the closure, unless the subscription was cancelled, which may happen during any callback.
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
