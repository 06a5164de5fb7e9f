// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The subscribers, and a queue of events for them, in order. An `Outbox` cannot be used, because losses may overtake
/// states that another thread has queued, and because the queue is drained as a whole.
struct FusionOutbox: Sendable {
    struct Item: Sendable {
        var client: FusionClient
        var event: FusionEvent
    }

    /// States to deliver to all subscribers directly, without queueing them.
    struct Round: Sendable {
        let clients: [FusionClient]
        let states: [FusedState]
    }

    /// The maximum number of queued events. If there are more, the oldest states are dropped.
    private static let limit = 1024

    private var clients: [FusionClient] = []
    /// The decimators of the subscribers, in the same order.
    private var thinners: [SampleThinner] = []
    private var waiting: [Item] = []
    /// True while a thread delivers events.
    private var isBusy = false

    var requests: [FusionRequest] { clients.map(\.request) }
    var isWithoutClients: Bool { clients.isEmpty }

    mutating func add(_ client: FusionClient) {
        clients.append(client)
        thinners.append(SampleThinner(interval: client.request.interval))
    }

    mutating func remove(_ client: FusionClient) {
        if let index = clients.firstIndex(where: { $0 === client }) {
            clients.remove(at: index)
            thinners.remove(at: index)
        }
        waiting.removeAll { $0.client === client }
    }

    /// Begins direct delivery of the states if no events are queued or being delivered and every subscriber receives
    /// all states. The caller then has to deliver the returned round. Otherwise queues the states and returns nil.
    ///
    /// - Parameter interval: The interval between states in seconds; nil if unknown.
    mutating func pass(_ states: [FusedState], interval: @autoclosure () -> Double?) -> Round? {
        guard !states.isEmpty else { return nil }
        guard !isBusy, waiting.isEmpty, !clients.isEmpty,
            thinners.indices.allSatisfy({ takesAll($0, interval()) })
        else {
            post(states, interval: interval())
            return nil
        }
        isBusy = true
        return Round(clients: clients, states: states)
    }

    /// Queues the states for each subscriber, decimated to the interval that it requested.
    ///
    /// - Parameter interval: The interval between states in seconds; nil if unknown.
    mutating func post(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in clients.indices {
            let taken = takesAll(index, interval()) ? states : states.filter { thinners[index].takes($0.time) }
            if !taken.isEmpty { post(.states(taken), to: clients[index]) }
        }
    }

    /// Returns true if a subscriber receives every state: it requested all states, or an interval at most 2 % longer
    /// than the interval between states.
    private func takesAll(_ index: Int, _ interval: @autoclosure () -> Double?) -> Bool {
        let wanted = thinners[index].interval
        return wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
    }

    /// Queues an event for each subscriber that needs the sensor.
    mutating func post(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for client in clients where client.cares(for: sensor) { post(event, to: client) }
    }

    mutating func post(_ event: FusionEvent, to client: FusionClient) {
        if waiting.count >= Self.limit {
            // States are dropped first, because losses and recoveries are rare.
            waiting.remove(at: waiting.firstIndex { $0.event.isStates } ?? 0)
        }
        waiting.append(Item(client: client, event: event))
    }

    /// Begins delivery and returns the queued events; nil if there are none or another thread is delivering.
    ///
    /// - Parameter upToStates: If true, states, and the events after them, are left to the thread that queued them.
    mutating func begin(upToStates: Bool) -> [Item]? {
        guard !isBusy, let items = take(upToStates: upToStates) else { return nil }
        isBusy = true
        return items
    }

    /// Returns the events that were queued during the delivery. If there are none, ends the delivery and returns nil.
    mutating func goOn(upToStates: Bool) -> [Item]? {
        let items = take(upToStates: upToStates)
        if items == nil { isBusy = false }
        return items
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// True if events are queued and no thread is delivering them.
    var isStuck: Bool { !isBusy && !waiting.isEmpty }

    private mutating func take(upToStates: Bool) -> [Item]? {
        guard upToStates else {
            return waiting.isEmpty ? nil : exchange(&waiting, with: [])
        }
        let end = waiting.firstIndex { $0.event.isStates } ?? waiting.count
        guard end > 0 else { return nil }
        defer { waiting.removeSubrange(..<end) }
        return Array(waiting[..<end])
    }
}

extension FusionEvent {
    fileprivate var isStates: Bool { if case .states = self { true } else { false } }
}
