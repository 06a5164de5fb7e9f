// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The subscribers and what is on its way to them, in order. Not an `Outbox`: losses may overtake the states of another
/// thread, and batches go out whole.
struct FusionOutbox: Sendable {
    struct Item: Sendable {
        var client: FusionClient
        var event: FusionEvent
    }

    /// States that each of the subscribers is to be told, without a way through the outbox.
    struct Round: Sendable {
        let clients: [FusionClient]
        let states: [FusedState]
    }

    /// More events than these do not wait for a subscriber that takes its time.
    private static let limit = 1024

    private var clients: [FusionClient] = []
    /// Of the same subscribers.
    private var thinners: [SampleThinner] = []
    private var waiting: [Item] = []
    /// True while a thread hands over.
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

    /// The states as a round for the caller to tell, when nothing is on its way and each subscriber takes all: the caller
    /// has begun then. Else puts them in, for each subscriber as many as it asked for, and returns nil.
    ///
    /// - Parameter interval: Seconds from one state to the next; nil when not known.
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

    /// Puts in the states for each subscriber, as many as it asked for.
    ///
    /// - Parameter interval: Seconds from one state to the next; nil when not known.
    mutating func post(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in clients.indices {
            let taken = takesAll(index, interval()) ? states : states.filter { thinners[index].takes($0.time) }
            if !taken.isEmpty { post(.states(taken), to: clients[index]) }
        }
    }

    /// True when a subscriber takes all states: those that come hardly faster than it asked for.
    private func takesAll(_ index: Int, _ interval: @autoclosure () -> Double?) -> Bool {
        let wanted = thinners[index].interval
        return wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
    }

    /// Puts in the event for each subscriber that cares for the sensor.
    mutating func post(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for client in clients where client.cares(for: sensor) { post(event, to: client) }
    }

    mutating func post(_ event: FusionEvent, to client: FusionClient) {
        if waiting.count >= Self.limit {
            // Losses and returns are few and are kept.
            waiting.remove(at: waiting.firstIndex { $0.event.isStates } ?? 0)
        }
        waiting.append(Item(client: client, event: event))
    }

    /// What is to be handed over now; nil when there is nothing, or another thread is at it.
    ///
    /// - Parameter upToStates: True to leave states, and what comes after them, to the thread that put them in.
    mutating func begin(upToStates: Bool) -> [Item]? {
        guard !isBusy, let items = take(upToStates: upToStates) else { return nil }
        isBusy = true
        return items
    }

    /// What came in while the thread that began was at it; nil when it is done.
    mutating func goOn(upToStates: Bool) -> [Item]? {
        let items = take(upToStates: upToStates)
        if items == nil { isBusy = false }
        return items
    }

    /// True when nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// True when something waits and no thread is at it.
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
