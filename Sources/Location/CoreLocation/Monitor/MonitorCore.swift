// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// What stands behind all monitors of one name: the conditions, and the events that nobody has taken yet.
final class MonitorCore: Sendable {
    /// The most conditions of a monitor.
    static let limit = 20
    /// More events than this do not wait: the oldest are dropped.
    static let eventLimit = 1024

    typealias Event = CLMonitor.Event

    private struct Entry {
        let identifier: String
        let condition: any CLCondition
        /// Nil for one that cannot be watched.
        let shape: RegionShape?
        /// The state of the last event that was made, and the last one that a loop was given.
        var posted: Event.State
        var last: Event
        /// What of that is kept: the state of the last event that a loop has done with.
        var kept: (state: Event.State, timestamp: Double)
    }

    private struct State {
        var entries: [Entry] = []
        /// What no loop has taken up.
        var waiting = Outbox<Event>()
        weak var loop: MonitorLoop?
    }

    /// The monitors of a device that are in use.
    private final class Registry: Sendable {
        private struct WeakCore {
            weak var core: MonitorCore?
        }

        private let cores = Mutex<[String: WeakCore]>([:])

        func core(_ name: String, make: () -> MonitorCore) -> (core: MonitorCore, isNew: Bool) {
            cores.withLock { cores in
                if let core = cores[name]?.core { return (core, false) }
                cores = cores.filter { $0.value.core != nil }
                let core = make()
                cores[name] = WeakCore(core: core)
                return (core, true)
            }
        }
    }

    let gate: ConsumerGate?
    private let name: String
    private let clock: any DeviceClock
    private let engine: RegionEngine
    private let authorization: LocationAuthorization
    private let store: RegionStore
    private let state = Mutex(State())

    static func of(_ device: Device, _ name: String) -> MonitorCore {
        let registry = device.component(Registry.self) { _ in Registry() }
        let (core, isNew) = registry.core(name) { MonitorCore(device: device, name: name) }
        if isNew { core.begin() }
        return core
    }

    private init(device: Device, name: String) {
        self.name = name
        clock = device.clock
        gate = device.playback?.consumers
        engine = RegionEngine.of(device)
        authorization = LocationAuthorization.of(device)
        store = RegionStore.of(device)
    }

    deinit {
        engine.unwatchAll(of: owner)
    }

    private var owner: RegionEngine.Owner { .monitor(name) }

    /// Takes up what the file has.
    private func begin() {
        authorization.add(WeakAuthorizationObserver(self))
        let kept = store.load(owner)
        // As if they were added now, which is what an earlier run did.
        if !kept.isEmpty, authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        for stored in kept.prefix(Self.limit) {
            guard let shape = stored.shape, shape.problem(identifier: stored.identifier) == nil else { continue }
            let told = UInt(exactly: stored.state).flatMap(Event.State.init) ?? .unknown
            let date = stored.date ?? clock.wallTime.sinceReferenceDate
            state.withLock { state in
                state.entries.append(
                    Entry(
                        identifier: stored.identifier, condition: shape.condition, shape: shape, posted: told,
                        last: event(stored.identifier, told, date), kept: (told, date)))
            }
            watch(stored.identifier, shape, known: told.region)
        }
    }

    // MARK: What the program asks for

    func add(_ condition: any CLCondition, _ identifier: String, assuming assumed: Event.State) {
        let now = clock.wallTime.sinceReferenceDate
        let shape = RegionShape(condition).flatMap { shape in
            let isImpossible =
                shape.problem(identifier: identifier) != nil || !shape.isCircle && engine.beaconProblem != nil
            return isImpossible ? nil : shape
        }
        guard identifier.utf8.count <= RegionShape.maximumIdentifier else {
            return post(event(identifier, .unmonitored, now, isUnsupported: true))
        }
        if shape != nil, authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        let isAdded = state.withLock { state in
            let entry = Entry(
                identifier: identifier, condition: condition, shape: shape, posted: assumed,
                last: event(identifier, assumed, now), kept: (assumed, now))
            state.waiting.removeAll { $0.identifier == identifier }
            if let index = state.entries.firstIndex(where: { $0.identifier == identifier }) {
                state.entries[index] = entry
            } else if state.entries.count < Self.limit {
                state.entries.append(entry)
            } else {
                return false
            }
            return true
        }
        guard isAdded else { return post(event(identifier, .unmonitored, now, exceedsLimit: true)) }
        loop?.forget(identifier)
        save(atOnce: false)
        guard let shape else {
            engine.unwatch(.init(owner: owner, identifier: identifier))
            return post(event(identifier, .unmonitored, now, isUnsupported: true))
        }
        if isRefused { post(event(identifier, .unmonitored, now)) }
        watch(identifier, shape, known: .unknown)
    }

    func remove(_ identifier: String) {
        state.withLock { state in
            state.entries.removeAll { $0.identifier == identifier }
            state.waiting.removeAll { $0.identifier == identifier }
        }
        loop?.forget(identifier)
        engine.unwatch(.init(owner: owner, identifier: identifier))
        save(atOnce: false)
    }

    var identifiers: [String] { state.withLock { $0.entries.map(\.identifier) } }

    func record(for identifier: String) -> CLMonitor.Record? {
        state.withLock { state in
            state.entries.first { $0.identifier == identifier }
                .map { CLMonitor.Record(condition: $0.condition, lastEvent: $0.last) }
        }
    }

    // MARK: What the engine tells

    private func watch(_ identifier: String, _ shape: RegionShape, known: CLRegionState) {
        engine.watch(.init(owner: owner, identifier: identifier), shape, known: known) { [weak self] report in
            self?.take(report, identifier, shape)
        }
    }

    private func take(_ report: RegionEngine.Report, _ identifier: String, _ shape: RegionShape) {
        var refinement: CLMonitor.BeaconIdentityCondition?
        if let beacon = report.beacon, case .beacons(let pattern) = shape, pattern.minor == nil {
            refinement = CLMonitor.BeaconIdentityCondition(beacon)
        }
        post(
            event(identifier, report.state == .inside ? .satisfied : .unsatisfied, report.timestamp, refinement))
    }

    /// Hands an event on unless it says what the last one said.
    private func post(_ event: Event) {
        let loop = state.withLock { state -> MonitorLoop?? in
            if let index = state.entries.firstIndex(where: { $0.identifier == event.identifier }) {
                guard state.entries[index].posted != event.state else { return nil }
                state.entries[index].posted = event.state
            }
            if let loop = state.loop { return loop }
            state.waiting.append(event, limit: Self.eventLimit)
            return .some(nil)
        }
        if let loop, let loop { loop.add(event) }
    }

    private func event(
        _ identifier: String, _ state: Event.State, _ timestamp: Double,
        _ refinement: CLMonitor.BeaconIdentityCondition? = nil, isUnsupported: Bool = false, exceedsLimit: Bool = false
    ) -> Event {
        Event(
            identifier, state, timestamp: timestamp, authorization, refinement: refinement,
            isUnsupported: isUnsupported, exceedsLimit: exceedsLimit, isNotKept: store.isUnavailable)
    }

    // MARK: Loops

    private var loop: MonitorLoop? { state.withLock { $0.loop } }

    /// A loop takes over; what waits for it.
    func begin(_ loop: MonitorLoop) {
        let former = state.withLock { state -> MonitorLoop? in
            defer { state.loop = loop }
            return state.loop
        }
        if let former { giveBack(former.end()) }
        state.withLock { state in
            while let event = state.waiting.takeFirst() { loop.add(event) }
        }
    }

    /// A loop was left; what it has not taken waits for the next one.
    func end(_ loop: MonitorLoop) {
        state.withLock { state in
            if state.loop === loop { state.loop = nil }
        }
        giveBack(loop.end())
    }

    private func giveBack(_ events: [Event]) {
        state.withLock { state in
            for event in events { state.waiting.append(event, limit: Self.eventLimit) }
        }
    }

    /// A loop was given an event.
    func handedOver(_ event: Event) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.identifier == event.identifier }) else { return }
            state.entries[index].last = event
        }
    }

    /// A loop has done with an event: it shall not come again after a new start.
    func finished(_ event: Event) {
        let isNews = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.identifier == event.identifier }) else {
                return false
            }
            state.entries[index].kept = (event.state, event.date.timeIntervalSinceReferenceDate)
            return true
        }
        if isNews { save(atOnce: true) }
    }

    private func save(atOnce: Bool) {
        let stored = state.withLock { $0.entries }.compactMap { entry in
            entry.shape.map {
                StoredRegion(
                    identifier: entry.identifier, shape: $0, state: Int(entry.kept.state.rawValue),
                    date: entry.kept.timestamp)
            }
        }
        store.replace(owner, with: stored)
        store.save(atOnce: atOnce)
    }

    private var isRefused: Bool { authorization.isRefused || authorization.accuracy == .reducedAccuracy }
}

extension MonitorCore: LocationAuthorization.Observer {
    func authorizationChanged() {
        let now = clock.wallTime.sinceReferenceDate
        let entries = state.withLock { $0.entries }
        for entry in entries {
            guard let shape = entry.shape else { continue }
            if isRefused {
                post(event(entry.identifier, .unmonitored, now))
            } else if entry.posted == .unmonitored {
                watch(entry.identifier, shape, known: .unknown)
            }
        }
    }

    /// The engine's.
    var use: LocationUse? { nil }
}

extension CLMonitor.Event.State {
    /// The state of a circle or a beacon that this is made of.
    fileprivate var region: CLRegionState {
        switch self {
        case .satisfied: .inside
        case .unsatisfied: .outside
        case .unknown, .unmonitored: .unknown
        }
    }
}
