// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// The implementation shared by all monitors with the same name. It passes events from the region engine to the current
/// loop.
final class MonitorCore: Sendable {
    typealias Event = CLMonitor.Event
    private typealias Condition = MonitorState.Condition

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
    private let owner: RegionStore.Owner
    private let clock: any DeviceClock
    private let engine: RegionEngine
    private let authorization: LocationAuthorization
    private let store: RegionStore
    private let state = Mutex(MonitorState())
    private let observer = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device, _ name: String) -> MonitorCore {
        let registry = device.component(Registry.self) { _ in Registry() }
        // Reads the file first, to avoid reading it while holding the registry lock.
        _ = RegionStore.of(device).load(.monitor(name))
        let (core, isNew) = registry.core(name) { MonitorCore(device: device, name: name) }
        if isNew { core.resume() }
        return core
    }

    /// Creates a core with the stored conditions. They are not monitored until `resume()` is called.
    init(device: Device, name: String) {
        owner = .monitor(name)
        clock = device.clock
        gate = device.playback?.consumerGate
        engine = RegionEngine.of(device)
        authorization = LocationAuthorization.of(device)
        store = RegionStore.of(device)
        let now = clock.wallTime.sinceReferenceDate
        for stored in store.load(owner).prefix(MonitorState.limit) {
            guard let shape = stored.shape, shape.problem(identifier: stored.identifier) == nil else { continue }
            let initialState = UInt(exactly: stored.state).flatMap(Event.State.init) ?? .unknown
            add(condition(stored.identifier, shape.condition, shape, initialState, stored.date ?? now))
        }
    }

    deinit {
        if let observer = observer.withLock({ $0 }) { authorization.remove(observer) }
        engine.unwatch(state.withLock { $0.conditions.map(\.watch) })
    }

    /// Resumes monitoring the conditions from an earlier run of the app.
    private func resume() {
        authorization.add(weak: self, in: observer)
        let conditions = state.withLock(\.conditions)
        // Requests authorization for the restored conditions, just as adding a condition does.
        if !conditions.isEmpty, authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        for condition in conditions { watch(condition, known: condition.posted.region) }
    }

    // MARK: Conditions

    func add(_ condition: any CLCondition, _ identifier: String, assuming assumed: Event.State) {
        let now = clock.wallTime.sinceReferenceDate
        let shape = RegionShape(condition).flatMap { shape in
            let isImpossible =
                shape.problem(identifier: identifier) != nil || !shape.isCircle && engine.beaconProblem != nil
            return isImpossible ? nil : shape
        }
        guard identifier.utf8.count <= RegionShape.maximumIdentifierLength else {
            return post(event(identifier, .unmonitored, now, isUnsupported: true))
        }
        if shape != nil, authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        let new = self.condition(identifier, condition, shape, assumed, now)
        let (isAdded, former) = add(new)
        guard isAdded else { return post(event(identifier, .unmonitored, now, exceedsLimit: true)) }
        save(atOnce: false)
        if shape == nil {
            post(event(identifier, .unmonitored, now, isUnsupported: true), new.watch)
        } else {
            if isRefused { post(event(identifier, .unmonitored, now), new.watch) }
            watch(new, known: .unknown)
        }
        // Ends the old watch only after starting the new one, so that the engine's subscription stays active.
        if let former { engine.unwatch([former.watch]) }
    }

    func remove(_ identifier: String) {
        guard let removed = state.withLock({ $0.remove(identifier) }) else { return }
        engine.unwatch([removed.watch])
        save(atOnce: false)
    }

    var identifiers: [String] { state.withLock { $0.conditions.map(\.identifier) } }

    func record(for identifier: String) -> CLMonitor.Record? {
        state.withLock { $0.condition(identifier) }
            .map { CLMonitor.Record(condition: $0.condition, lastEvent: $0.last) }
    }

    private func condition(
        _ identifier: String, _ condition: any CLCondition, _ shape: RegionShape?, _ initialState: Event.State,
        _ timestamp: Double
    ) -> Condition {
        Condition(
            identifier: identifier, condition: condition, shape: shape, posted: initialState,
            last: event(identifier, initialState, timestamp))
    }

    @discardableResult private func add(_ condition: Condition) -> (isAdded: Bool, former: Condition?) {
        state.withLock { $0.add(condition) }
    }

    // MARK: Region engine

    private func watch(_ condition: Condition, known: CLRegionState) {
        guard let shape = condition.shape else { return }
        let (watch, identifier) = (condition.watch, condition.identifier)
        engine.watch(watch, shape, known: known) { [weak self] report in
            self?.process(report, identifier, shape, watch)
        }
        // Another thread may have removed the condition before the engine started to watch it.
        if !state.withLock({ $0.contains(watch) }) { engine.unwatch([watch]) }
    }

    private func process(
        _ report: RegionEngine.Report, _ identifier: String, _ shape: RegionShape, _ watch: RegionEngine.WatchID
    ) {
        // Discards the report if authorization was refused during its delivery.
        guard !isRefused else { return }
        var refinement: CLMonitor.BeaconIdentityCondition?
        if let beacon = report.beacon, case .beacons(let pattern) = shape, pattern.minor == nil {
            refinement = CLMonitor.BeaconIdentityCondition(beacon)
        }
        let state: Event.State = report.state == .inside ? .satisfied : .unsatisfied
        post(event(identifier, state, report.timestamp, refinement), watch)
    }

    private func post(_ event: Event, _ watch: RegionEngine.WatchID? = nil) {
        let loop = state.withLock { state in state.post(.init(event: event, watch: watch)) ? state.loop : nil }
        loop?.eventsDidArrive()
    }

    private func event(
        _ identifier: String, _ state: Event.State, _ timestamp: Double,
        _ refinement: CLMonitor.BeaconIdentityCondition? = nil, isUnsupported: Bool = false, exceedsLimit: Bool = false
    ) -> Event {
        Event(
            identifier, state, timestamp: timestamp, authorization, refinement: refinement,
            isUnsupported: isUnsupported, exceedsLimit: exceedsLimit, isPersistenceUnavailable: store.isUnavailable)
    }

    // MARK: Loops

    func activate(_ loop: MonitorEventLoop) {
        let former = state.withLock { state in
            defer { state.loop = loop }
            return state.loop
        }
        former?.end()
    }

    /// Removes a loop that has ended. Pending events remain for the next loop.
    func deactivate(_ loop: MonitorEventLoop) {
        state.withLock { state in
            if state.loop === loop { state.loop = nil }
        }
    }

    func isCurrent(_ numberedEvent: MonitorState.NumberedEvent) -> Bool {
        state.withLock { $0.isCurrent(numberedEvent) }
    }

    func removeFirst(for loop: MonitorEventLoop) -> MonitorState.NumberedEvent? {
        state.withLock { $0.removeFirst(for: loop) }
    }

    /// Records that a loop has completed an event. If more events are pending, delays writing the file, because disk
    /// access is slow.
    func complete(_ numberedEvent: MonitorState.NumberedEvent) {
        let (isNew, isLast) = state.withLock { ($0.complete(numberedEvent), $0.isEmpty) }
        if isNew { save(atOnce: isLast) }
    }

    private func save(atOnce: Bool) {
        // Holds the lock while replacing the stored conditions, so that an older list never replaces a newer one.
        state.withLock { store.replace(owner, with: $0.stored) }
        store.save(atOnce: atOnce)
    }

    private var isRefused: Bool { authorization.isDeniedOrRestricted || authorization.accuracy == .reducedAccuracy }
}

extension MonitorCore: LocationAuthorization.Observer {
    func authorizationChanged() {
        let now = clock.wallTime.sinceReferenceDate
        for condition in state.withLock(\.conditions) where condition.shape != nil {
            if isRefused {
                post(event(condition.identifier, .unmonitored, now), condition.watch)
            } else if condition.posted == .unmonitored {
                watch(condition, known: .unknown)
            }
        }
    }

    /// Always nil, because the region engine already reports this use of the position.
    var use: LocationUse? { nil }
}

extension CLMonitor.Event.State {
    fileprivate var region: CLRegionState {
        switch self {
        case .satisfied: .inside
        case .unsatisfied: .outside
        case .unknown, .unmonitored: .unknown
        }
    }
}
