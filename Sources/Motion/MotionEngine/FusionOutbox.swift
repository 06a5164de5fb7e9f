// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The subscribers and what is on its way to them, in order. Not an `Outbox`: losses may overtake the states of another
/// thread, and batches go out whole.
struct FusionOutbox: Sendable {
    struct Item: Sendable {
        var client: FusionClient
        var event: FusionEvent
    }

    private struct Seat: Sendable {
        var client: FusionClient
        var thinner: SampleThinner
    }

    /// More events than these do not wait for a subscriber that takes its time.
    private static let limit = 1024

    private var seats: [Seat] = []
    private var waiting: [Item] = []
    /// True while a thread hands over.
    private var isBusy = false

    var requests: [FusionRequest] { seats.map(\.client.request) }
    var isWithoutClients: Bool { seats.isEmpty }

    mutating func add(_ client: FusionClient) {
        seats.append(Seat(client: client, thinner: SampleThinner(interval: client.request.interval)))
    }

    mutating func remove(_ client: FusionClient) {
        seats.removeAll { $0.client === client }
        waiting.removeAll { $0.client === client }
    }

    /// Puts in the states for each subscriber, as many as it asked for.
    ///
    /// - Parameter interval: Seconds from one state to the next; nil when not known.
    mutating func post(_ states: [FusedState], interval: @autoclosure () -> Double?) {
        guard !states.isEmpty else { return }
        for index in seats.indices {
            let wanted = seats[index].client.request.interval
            let takesAll = wanted == 0 || interval().map { wanted <= $0 * 1.02 } ?? false
            let taken = takesAll ? states : states.filter { seats[index].thinner.takes($0.time) }
            if !taken.isEmpty { post(.states(taken), to: seats[index].client) }
        }
    }

    /// Puts in the event for each subscriber that cares for the sensor.
    mutating func post(_ event: FusionEvent, about sensor: SampleAligner.Sensor) {
        for seat in seats where seat.client.cares(for: sensor) { post(event, to: seat.client) }
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
