// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// The regions that a device's managers monitor. A file stores each region with the last state delivered to the app.
/// The app's next run restores the regions and delivers any changes since then.
final class MonitoredRegions: Sendable {
    /// The maximum number of regions per app, the same as on Apple's platforms.
    static let limit = 20

    fileprivate struct Entry {
        let watch = RegionEngine.WatchID()
        /// A copy of the app's region. The app may define the region's class, so its methods must not be called while
        /// the lock is held.
        let region: CLRegion
        let stored: StoredRegion
        /// The last state that was passed to the managers, and the time of the first fix in that state.
        var reportedState: CLRegionState
        var date: Double?
        /// The last state that a delegate has received. This is the state stored in the file.
        var deliveredState: (state: CLRegionState, date: Double?)
        /// The number of the last delivered change.
        var deliveredNumber: UInt64 = 0

        init(_ region: CLRegion, reportedState: CLRegionState, date: Double?) {
            (self.region, self.reportedState, self.date) = (region, reportedState, date)
            stored = StoredRegion(region, state: reportedState, date: date)
            deliveredState = (reportedState, date)
        }

        var identifier: String { stored.identifier }
    }

    private struct State {
        var entries: [Entry] = []
        var clients: [LocationClient.Weak] = []
        var isLoaded = false
        var hasUnsavedStates = false
        var changeCount: UInt64 = 0
    }

    // Storing the device itself would create a retain cycle, because the device owns this object.
    private let engine: RegionEngine
    private let authorization: LocationAuthorization
    private let store: RegionStore
    private let state = Mutex(State())
    private let authorizationObserver = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device) -> MonitoredRegions {
        device.component(MonitoredRegions.self) { MonitoredRegions(device: $0) }
    }

    init(device: Device) {
        engine = RegionEngine.of(device)
        authorization = LocationAuthorization.of(device)
        store = RegionStore.of(device)
    }

    // MARK: Managers

    func add(_ client: LocationClient) {
        let isNew = state.withLock { state in
            guard !state.clients.contains(where: { $0.client === client }) else { return false }
            state.clients.removeAll { $0.client == nil }
            state.clients.append(LocationClient.Weak(client: client))
            return true
        }
        if isNew { load() }
    }

    private func load() {
        guard !state.withLock(\.isLoaded) else { return }
        let loaded = store.load(.managers).prefix(Self.limit).compactMap { stored -> Entry? in
            guard let region = stored.region, RegionShape(region)?.problem(identifier: region.identifier) == nil
            else { return nil }
            return Entry(region, reportedState: CLRegionState(rawValue: stored.state) ?? .unknown, date: stored.date)
        }
        let entries = state.withLock { state -> [Entry] in
            guard !state.isLoaded else { return [] }
            (state.isLoaded, state.entries) = (true, loaded)
            return loaded
        }
        guard !entries.isEmpty else { return }
        authorization.add(weak: self, in: authorizationObserver)
        // Requests authorization for the restored regions, just as starting to monitor a region does.
        if authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        for entry in entries { watch(entry) }
    }

    // MARK: Managing regions

    var regions: Set<CLRegion> {
        load()
        return Set(state.withLock(\.entries).map(\.copy))
    }

    func start(_ original: CLRegion, for client: LocationClient) {
        load()
        guard let region = original.copy() as? CLRegion else { return }
        func fail(_ cause: DeviceError) {
            client.enqueue(.failed(region, CLError(.regionMonitoringFailure, cause: cause)))
        }
        let identifier = region.identifier
        guard let shape = RegionShape(region) else {
            return fail(
                DeviceError(
                    .notSupported,
                    "The region \(identifier) is neither a circular region nor a beacon region. Use CLCircularRegion or CLBeaconRegion."
                ))
        }
        if let problem = shape.problem(identifier: identifier) ?? (shape.isCircle ? nil : engine.beaconProblem) {
            return fail(problem)
        }
        if authorization.status == .notDetermined { authorization.request(.start, purpose: client.purpose) }
        if let denial { return client.enqueue(.failed(region, denial)) }
        let entry = Entry(region, reportedState: .unknown, date: nil)
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
            return fail(
                DeviceError(
                    .notSupported,
                    "\(Self.limit) regions are already monitored, which is the limit. Stop monitoring one of them, or use CLMonitor."
                ))
        }
        save(atOnce: false)
        client.enqueue(.started(region))
        authorization.add(weak: self, in: authorizationObserver)
        watch(entry)
        // Ends the old watch only after starting the new one, so that the engine's subscription stays active.
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

    func requestState(of region: CLRegion, for client: LocationClient) {
        load()
        guard let copy = region.copy() as? CLRegion else { return }
        let identifier = copy.identifier
        let entry = state.withLock { $0.entries.first { $0.identifier == identifier } }
        client.enqueue(.determined(entry?.copy ?? copy, entry.map { engine.state(of: $0.watch) } ?? .unknown))
    }

    // MARK: Region engine

    private func watch(_ entry: Entry) {
        guard let shape = RegionShape(entry.region) else { return }
        let watch = entry.watch
        engine.watch(watch, shape, known: entry.reportedState) { [weak self] report in self?.process(report, watch) }
        // Another thread may have stopped monitoring the region before the engine started to watch it.
        if !isCurrent(watch) { engine.unwatch([watch]) }
    }

    private func process(_ report: RegionEngine.Report, _ watch: RegionEngine.WatchID) {
        let update = state.withLock { state -> (Entry, CLRegionState, UInt64, [LocationClient])? in
            guard let index = state.entries.firstIndex(where: { $0.watch == watch }) else { return nil }
            let former = state.entries[index].reportedState
            state.entries[index].reportedState = report.state
            state.entries[index].date = report.timestamp
            guard former != report.state else { return nil }
            state.changeCount += 1
            return (state.entries[index], former, state.changeCount, state.clients.compactMap(\.client))
        }
        guard let (entry, former, number, clients) = update else { return }
        let isCrossing = former != .unknown
        for client in clients {
            let change = RegionChange(
                watch: watch, number: number, region: entry.copy, state: report.state, timestamp: report.timestamp,
                isEntry: isCrossing && report.state == .inside && entry.stored.notifyOnEntry != false,
                isExit: isCrossing && report.state == .outside && entry.stored.notifyOnExit != false)
            client.enqueue(.changed(change))
        }
    }

    func isCurrent(_ watch: RegionEngine.WatchID) -> Bool {
        state.withLock { state in state.entries.contains { $0.watch == watch } }
    }

    func recordDelivery(of change: RegionChange) {
        let isNew = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.watch == change.watch }),
                change.number > state.entries[index].deliveredNumber
            else { return false }
            state.entries[index].deliveredState = (change.state, change.timestamp)
            state.entries[index].deliveredNumber = change.number
            state.hasUnsavedStates = true
            return true
        }
        // Saves the state after a short delay, whether or not the drain has ended.
        if isNew { save(atOnce: false) }
    }

    /// Saves all delivered states in a single write, because disk access is slow.
    func saveDeliveredStates() {
        let hasUnsavedStates = state.withLock { state in
            defer { state.hasUnsavedStates = false }
            return state.hasUnsavedStates
        }
        if hasUnsavedStates { save(atOnce: true) }
    }

    private func save(atOnce: Bool) {
        // Holds the lock while replacing the stored regions, so that an older list never replaces a newer one.
        state.withLock { state in
            let stored = state.entries.map { entry in
                var stored = entry.stored
                (stored.state, stored.date) = (entry.deliveredState.state.rawValue, entry.deliveredState.date)
                return stored
            }
            store.replace(.managers, with: stored)
        }
        store.save(atOnce: atOnce)
    }

    // MARK: Authorization

    /// The error to report if the app is not authorized to monitor regions. nil if the app is authorized or its
    /// authorization is undecided.
    private var denial: CLError? {
        if authorization.isDeniedOrRestricted { return CLError(.regionMonitoringDenied) }
        guard authorization.accuracy == .reducedAccuracy else { return nil }
        return CLError(
            .regionMonitoringDenied,
            cause: DeviceError(
                .permissionDenied,
                "The app is authorized for reduced accuracy only, which is too coarse to monitor regions. Request full accuracy (requestTemporaryFullAccuracyAuthorization)."
            ))
    }
}

extension MonitoredRegions.Entry {
    /// A new copy of the region for the app. If the app modifies the copy, the original is unaffected.
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
            for entry in entries { client.enqueue(.failed(entry.copy, denial)) }
        }
    }

    /// Always nil, because the region engine already reports this use of the position.
    var use: LocationUse? { nil }
}
