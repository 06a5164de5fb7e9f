// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// What stands behind all monitors of one name: what asks the engine, and has loops told.
final class MonitorCore: Sendable {
    typealias Event = CLMonitor.Event
    private typealias Condition = MonitorState.Condition

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
    private let owner: RegionStore.Owner
    private let clock: any DeviceClock
    private let engine: RegionEngine
    private let authorization: LocationAuthorization
    private let store: RegionStore
    private let state = Mutex(MonitorState())
    private let observer = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device, _ name: String) -> MonitorCore {
        let registry = device.component(Registry.self) { _ in Registry() }
        // Reads the file before there is a lock around it.
        _ = RegionStore.of(device).load(.monitor(name))
        let (core, isNew) = registry.core(name) { MonitorCore(device: device, name: name) }
        if isNew { core.begin() }
        return core
    }

    /// With the conditions that the file has, which nobody watches before `begin()`.
    init(device: Device, name: String) {
        owner = .monitor(name)
        clock = device.clock
        gate = device.playback?.consumers
        engine = RegionEngine.of(device)
        authorization = LocationAuthorization.of(device)
        store = RegionStore.of(device)
        let now = clock.wallTime.sinceReferenceDate
        for stored in store.load(owner).prefix(MonitorState.limit) {
            guard let shape = stored.shape, shape.problem(identifier: stored.identifier) == nil else { continue }
            let told = UInt(exactly: stored.state).flatMap(Event.State.init) ?? .unknown
            add(condition(stored.identifier, shape.condition, shape, told, stored.date ?? now))
        }
    }

    deinit {
        if let observer = observer.withLock({ $0 }) { authorization.remove(observer) }
        engine.unwatch(state.withLock { $0.conditions.map(\.watch) })
    }

    /// Goes on with what an earlier run of the program began.
    private func begin() {
        let observer = WeakAuthorizationObserver(self)
        self.observer.withLock { $0 = observer }
        authorization.add(observer)
        let conditions = state.withLock(\.conditions)
        // As if they were added now, which is what that run did.
        if !conditions.isEmpty, authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        for condition in conditions { watch(condition, known: condition.posted.region) }
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
        // Not before: the engine would let go of its source in between.
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
        _ identifier: String, _ condition: any CLCondition, _ shape: RegionShape?, _ told: Event.State,
        _ timestamp: Double
    ) -> Condition {
        Condition(
            identifier: identifier, condition: condition, shape: shape, posted: told,
            last: event(identifier, told, timestamp))
    }

    @discardableResult private func add(_ condition: Condition) -> (isAdded: Bool, former: Condition?) {
        state.withLock { $0.add(condition) }
    }

    // MARK: What the engine tells

    private func watch(_ condition: Condition, known: CLRegionState) {
        guard let shape = condition.shape else { return }
        let (watch, identifier) = (condition.watch, condition.identifier)
        engine.watch(watch, shape, known: known) { [weak self] report in
            self?.take(report, identifier, shape, watch)
        }
        // Removed meanwhile by another thread, which had nothing to end yet.
        if !state.withLock({ $0.has(watch) }) { engine.unwatch([watch]) }
    }

    private func take(
        _ report: RegionEngine.Report, _ identifier: String, _ shape: RegionShape, _ watch: RegionEngine.Watch
    ) {
        // On its way while the authorization was refused: the monitor has said that nobody looks.
        guard !isRefused else { return }
        var refinement: CLMonitor.BeaconIdentityCondition?
        if let beacon = report.beacon, case .beacons(let pattern) = shape, pattern.minor == nil {
            refinement = CLMonitor.BeaconIdentityCondition(beacon)
        }
        let state: Event.State = report.state == .inside ? .satisfied : .unsatisfied
        post(event(identifier, state, report.timestamp, refinement), watch)
    }

    /// Has an event wait for the loop, and tells that.
    private func post(_ event: Event, _ watch: RegionEngine.Watch? = nil) {
        let loop = state.withLock { state in
            state.post(.init(event: event, watch: watch)) ? state.loop : nil
        }
        loop?.look()
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

    /// A loop takes over; the one before it ends.
    func begin(_ loop: MonitorLoop) {
        let former = state.withLock { state in
            defer { state.loop = loop }
            return state.loop
        }
        former?.end()
    }

    /// A loop was left; what it has not taken waits for the next one.
    func end(_ loop: MonitorLoop) {
        state.withLock { state in
            if state.loop === loop { state.loop = nil }
        }
    }

    func isCurrent(_ news: MonitorState.News) -> Bool { state.withLock { $0.isCurrent(news) } }

    func takeFirst(for loop: MonitorLoop) -> MonitorState.News? { state.withLock { $0.takeFirst(for: loop) } }

    /// A loop has done with an event: it shall not come again after a new start. Of several in a row the last is kept at
    /// once, and the others with it or in a moment, for the disk takes its time.
    func finished(_ news: MonitorState.News) {
        let (isNews, isLast) = state.withLock { ($0.finish(news), $0.isEmpty) }
        if isNews { save(atOnce: isLast) }
    }

    private func save(atOnce: Bool) {
        state.withLock { store.replace(owner, with: $0.stored) }
        store.save(atOnce: atOnce)
    }

    private var isRefused: Bool { authorization.isRefused || authorization.accuracy == .reducedAccuracy }
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
