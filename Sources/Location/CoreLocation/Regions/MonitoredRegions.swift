// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// The regions that managers monitor: one set for each device, which all its managers share.
///
/// It is kept in a file from one run of the program to the next, with the state that the program was told last. So what
/// was not told, because the program ended or the device moved while it did not run, is found anew by the fixes that come
/// then, and told once.
final class MonitoredRegions: Sendable {
    /// Apple's limit for a program.
    static let limit = 20

    fileprivate struct Entry {
        let watch = RegionEngine.Watch()
        /// A copy of the program's. It may be of a class of the program, so it is only used without the lock.
        let region: CLRegion
        /// What is kept of it, but for the state.
        let stored: StoredRegion
        /// The state that managers know or will hear of, and since when.
        var told: CLRegionState
        var date: Double?
        /// What a delegate has heard, which is what is kept.
        var heard: (state: CLRegionState, date: Double?)
        /// The number of the change that it is of.
        var heardNumber: UInt64 = 0

        init(_ region: CLRegion, told: CLRegionState, date: Double?) {
            (self.region, self.told, self.date) = (region, told, date)
            stored = StoredRegion(region, state: told, date: date)
            heard = (told, date)
        }

        var identifier: String { stored.identifier }
    }

    private struct State {
        /// In the order in which they came.
        var entries: [Entry] = []
        var clients: [WeakClient] = []
        var isLoaded = false
        /// True when delegates have heard of states that are not kept yet.
        var hasNews = false
        var changeCount: UInt64 = 0
    }

    private struct WeakClient {
        weak var client: (any RegionListener)?
    }

    // Not the device, which owns this object.
    private let engine: RegionEngine
    private let authorization: LocationAuthorization
    private let store: RegionStore
    private let state = Mutex(State())
    private let watcher = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device) -> MonitoredRegions {
        device.component(MonitoredRegions.self) { MonitoredRegions(device: $0) }
    }

    init(device: Device) {
        engine = RegionEngine.of(device)
        authorization = LocationAuthorization.of(device)
        store = RegionStore.of(device)
    }

    // MARK: Managers

    /// A manager has somebody to tell: what was monitored in an earlier run of the program goes on.
    func add(_ client: any RegionListener) {
        let isNew = state.withLock { state in
            guard !state.clients.contains(where: { $0.client === client }) else { return false }
            state.clients.removeAll { $0.client == nil }
            state.clients.append(WeakClient(client: client))
            return true
        }
        if isNew { load() }
    }

    /// Takes up what the file has, once.
    private func load() {
        guard !state.withLock(\.isLoaded) else { return }
        let kept = store.load(.managers).prefix(Self.limit).compactMap { stored -> Entry? in
            guard let region = stored.region, RegionShape(region)?.problem(identifier: region.identifier) == nil
            else { return nil }
            return Entry(region, told: CLRegionState(rawValue: stored.state) ?? .unknown, date: stored.date)
        }
        let entries = state.withLock { state -> [Entry] in
            guard !state.isLoaded else { return [] }
            (state.isLoaded, state.entries) = (true, kept)
            return kept
        }
        guard !entries.isEmpty else { return }
        register()
        // As if they were started now, which is what an earlier run did.
        if authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        for entry in entries { watch(entry) }
    }

    // MARK: What programs ask for

    var regions: Set<CLRegion> {
        load()
        return Set(state.withLock(\.entries).map(\.copy))
    }

    func start(_ original: CLRegion, for client: any RegionListener) {
        load()
        guard let region = original.copy() as? CLRegion else { return }
        let identifier = region.identifier
        guard let shape = RegionShape(region) else {
            return client.tell(
                .failed(
                    region,
                    CLError(
                        .regionMonitoringFailure,
                        cause: DeviceError(
                            .notSupported,
                            "The region \(identifier) is neither a circle nor a region of beacons. Use CLCircularRegion or CLBeaconRegion."
                        ))))
        }
        if let problem = shape.problem(identifier: identifier) ?? (shape.isCircle ? nil : engine.beaconProblem) {
            return client.tell(.failed(region, CLError(.regionMonitoringFailure, cause: problem)))
        }
        if authorization.status == .notDetermined { authorization.request(.start, purpose: client.purpose) }
        if let denial { return client.tell(.failed(region, denial)) }
        let entry = Entry(region, told: .unknown, date: nil)
        let (isAdded, former) = state.withLock { state -> (Bool, Entry?) in
            if let index = state.entries.firstIndex(where: { $0.identifier == identifier }) {
                defer { state.entries[index] = entry }
                return (true, state.entries[index])
            }
            guard state.entries.count < Self.limit else { return (false, nil) }
            state.entries.append(entry)
            return (true, nil)
        }
        guard isAdded else {
            return client.tell(
                .failed(
                    region,
                    CLError(
                        .regionMonitoringFailure,
                        cause: DeviceError(
                            .notSupported,
                            "\(Self.limit) regions are monitored already, which is the limit. Stop monitoring one of them, or use CLMonitor."
                        ))))
        }
        save(atOnce: false)
        client.tell(.started(region))
        register()
        watch(entry)
        // Not before: the engine would let go of its source in between.
        if let former { engine.unwatch([former.watch]) }
    }

    func stop(_ identifier: String) {
        load()
        let removed = state.withLock { state -> Entry? in
            state.entries.firstIndex { $0.identifier == identifier }.map { state.entries.remove(at: $0) }
        }
        guard let removed else { return }
        engine.unwatch([removed.watch])
        save(atOnce: false)
    }

    /// Answers with what is known now; unknown, too, for a region that is not monitored.
    func requestState(of region: CLRegion, for client: any RegionListener) {
        load()
        guard let copy = region.copy() as? CLRegion else { return }
        let identifier = copy.identifier
        let entry = state.withLock { $0.entries.first { $0.identifier == identifier } }
        client.tell(.determined(entry?.copy ?? copy, entry.map { engine.state(of: $0.watch) } ?? .unknown))
    }

    // MARK: What the engine tells

    private func watch(_ entry: Entry) {
        guard let shape = RegionShape(entry.region) else { return }
        let watch = entry.watch
        engine.watch(watch, shape, known: entry.told) { [weak self] report in self?.take(report, watch) }
        // Stopped meanwhile by another thread, which had nothing to end yet.
        if !isCurrent(watch) { engine.unwatch([watch]) }
    }

    private func take(_ report: RegionEngine.Report, _ watch: RegionEngine.Watch) {
        let found = state.withLock { state -> (Entry, CLRegionState, UInt64, [any RegionListener])? in
            guard let index = state.entries.firstIndex(where: { $0.watch == watch }) else { return nil }
            let former = state.entries[index].told
            state.entries[index].told = report.state
            state.entries[index].date = report.timestamp
            guard former != report.state else { return nil }
            state.changeCount += 1
            return (state.entries[index], former, state.changeCount, state.clients.compactMap(\.client))
        }
        guard let (entry, former, number, clients) = found else { return }
        let isCrossing = former != .unknown
        for client in clients {
            let change = RegionChange(
                watch: watch, number: number, region: entry.copy, state: report.state, timestamp: report.timestamp,
                isEntry: isCrossing && report.state == .inside && entry.stored.notifyOnEntry != false,
                isExit: isCrossing && report.state == .outside && entry.stored.notifyOnExit != false)
            client.tell(.changed(change))
        }
    }

    /// True while that watch is the one over its region.
    func isCurrent(_ watch: RegionEngine.Watch) -> Bool {
        state.withLock { state in state.entries.contains { $0.watch == watch } }
    }

    /// A delegate has heard of a state, which is not told again.
    func hasHeard(of change: RegionChange) {
        let isNews = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.watch == change.watch }),
                change.number > state.entries[index].heardNumber
            else { return false }
            state.entries[index].heard = (change.state, change.timestamp)
            state.entries[index].heardNumber = change.number
            state.hasNews = true
            return true
        }
        // In a moment at the latest: the turn may take long.
        if isNews { save(atOnce: false) }
    }

    /// A turn of a manager is over: what it told is kept, once for all of it, for the disk takes its time.
    func keepWhatWasHeard() {
        let hasNews = state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
        if hasNews { save(atOnce: true) }
    }

    private func save(atOnce: Bool) {
        state.withLock { state in
            let stored = state.entries.map { entry in
                var stored = entry.stored
                (stored.state, stored.date) = (entry.heard.state.rawValue, entry.heard.date)
                return stored
            }
            store.replace(.managers, with: stored)
        }
        store.save(atOnce: atOnce)
    }

    // MARK: Who may

    private func register() {
        let new = watcher.withLock { watcher -> WeakAuthorizationObserver? in
            guard watcher == nil else { return nil }
            watcher = WeakAuthorizationObserver(self)
            return watcher
        }
        if let new { authorization.add(new) }
    }

    /// Why regions may not be monitored; nil when they may, or nobody has decided.
    private var denial: CLError? {
        if authorization.isRefused { return CLError(.regionMonitoringDenied) }
        guard authorization.accuracy == .reducedAccuracy else { return nil }
        return CLError(
            .regionMonitoringDenied,
            cause: DeviceError(
                .permissionDenied,
                "Only a reduced accuracy is allowed, which tells nothing of borders. Ask for full accuracy (requestTemporaryFullAccuracyAuthorization)."
            ))
    }
}

extension MonitoredRegions.Entry {
    /// For the program, which may change its copy.
    fileprivate var copy: CLRegion {
        let copy = region.copy() as? CLRegion ?? region
        copy.stateTimestamp = date
        return copy
    }
}

extension MonitoredRegions: LocationAuthorization.Observer {
    func authorizationChanged() {
        guard let denial else { return }
        let (entries, clients) = state.withLock { ($0.entries, $0.clients.compactMap(\.client)) }
        for client in clients {
            for entry in entries { client.tell(.failed(entry.copy, denial)) }
        }
    }

    /// The engine's.
    var use: LocationUse? { nil }
}
