// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Monitors a device's regions and conditions, with one subscription to each source.
final class RegionEngine: Sendable {
    /// The identity of a watched region or condition. Identities are never reused, so late reports can be recognized
    /// and discarded.
    struct WatchID: Hashable, Sendable {
        private static let last = Atomic<UInt64>(0)
        private let number = WatchID.last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The state of a region, reported when it is first determined and whenever it changes.
    struct Report: Sendable {
        var state: CLRegionState
        /// The time at which this state began, in seconds since 2001-01-01T00:00:00Z.
        var timestamp: Double
        /// The received beacon, or nil for circles and for exits from beacon regions.
        var beacon: BeaconIdentity?
    }

    typealias ReportHandler = @Sendable (Report) -> Void

    enum Tracker {
        case circle(CLRegion.Circle, RegionTracker)
        case beacons(BeaconPattern, BeaconTracker)

        var state: CLRegionState {
            switch self {
            case .circle(_, let tracker): tracker.state
            case .beacons(_, let tracker): tracker.state
            }
        }
    }

    struct WatchedRegion {
        let watch: WatchID
        var tracker: Tracker
        let handler: ReportHandler
    }

    struct PendingReport: Sendable {
        let watch: WatchID
        let handler: ReportHandler
        let report: Report
    }

    struct State {
        var watched: [WatchedRegion] = []
        /// The reports awaiting delivery. The queue preserves the order of each region's states.
        var pendingReports = BoundedQueue<PendingReport>()
        var rules = CrossingThresholds()
        var track = FixStatistics()
        var fixes = FixConverter()
        var since = WallTime.epoch
        /// True while beacons cannot be received. Meanwhile, the absence of sightings does not indicate an exit.
        var isBeaconSourceLost = false
        var timer: ClockTimer?
    }

    /// The maximum age, in seconds, of a cached fix that determines the initial state of a region.
    static let maximumFixAge = 10.0

    // Storing the device itself would create a retain cycle, because the device owns this object.
    private let positions: any PositionSource
    let beacons: any BeaconSource
    let clock: any DeviceClock
    private let receiver: String?
    private let purpose: String?
    private let authorization: LocationAuthorization
    let state = Mutex(State())
    private let positionSubscription = RequestSubscription<PositionRequest>()
    private let beaconSubscription = RequestSubscription<Bool>()
    private let authorizationObserver = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device) -> RegionEngine {
        device.component(RegionEngine.self) { RegionEngine(device: $0) }
    }

    init(device: Device) {
        positions = device.positionSource
        beacons = device.beaconSource
        clock = device.clock
        receiver = device.configuration.receiver.value
        purpose = device.configuration.locationPurpose.value
        authorization = LocationAuthorization.of(device)
    }

    // MARK: Watches

    var rules: CrossingThresholds {
        get { state.withLock { $0.rules } }
        set { state.withLock { $0.rules = newValue } }
    }

    var beaconProblem: DeviceError? { beacons.problem }

    /// Starts watching a region. If a watch with this identity already exists, restarts it.
    ///
    /// The handler is called without holding a lock. It runs on the source's thread, or on a clock thread when a beacon
    /// region's exit timeout expires. If a recent fix is available, the handler may also be called before this function
    /// returns. The handler may still be called after the watch has ended, so it must check whether the watch is still
    /// valid.
    /// - Parameter known: The initial state. If it is unknown, the first determined state is reported.
    func watch(
        _ watch: WatchID, _ shape: RegionShape, known: CLRegionState = .unknown, handler: @escaping ReportHandler
    ) {
        let now = clock.now
        let recentFix = positions.lastFix.flatMap { fix -> TrackedFix? in
            guard now.seconds(since: fix.report.arrival) <= Self.maximumFixAge,
                receiver.map({ $0 == fix.report.receiver }) ?? true
            else { return nil }
            return TrackedFix(fix.report, sky: fix.sky, wallTime: clock.wallTime)
        }
        let isAllowed = isAllowed
        state.withLock { state in
            if state.watched.isEmpty { state.since = clock.wallTime }
            let tracker: Tracker =
                switch shape {
                case .circle(let circle): .circle(circle, RegionTracker(state: known))
                case .beacons(let pattern): .beacons(pattern, BeaconTracker(state: known, now: now))
                }
            var watched = WatchedRegion(watch: watch, tracker: tracker, handler: handler)
            state.pendingReports.removeAll { $0.watch == watch }
            if isAllowed, let recentFix, let report = Self.process(recentFix, &watched, state.track, state.rules) {
                state.add(report, of: watched)
            }
            if let index = state.watched.firstIndex(where: { $0.watch == watch }) {
                state.watched[index] = watched
            } else {
                state.watched.append(watched)
            }
        }
        // The observer is not added in `init`, because creating a component must not have side effects.
        authorization.add(weak: self, in: authorizationObserver)
        deliverReports()
        updateSubscriptions()
    }

    func unwatch(_ watches: [WatchID]) {
        state.withLock { state in
            state.watched.removeAll { watches.contains($0.watch) }
            state.pendingReports.removeAll { watches.contains($0.watch) }
        }
        updateSubscriptions()
    }

    func state(of watch: WatchID) -> CLRegionState {
        state.withLock { state in state.watched.first { $0.watch == watch }?.tracker.state ?? .unknown }
    }

    /// Delivers the pending reports. Does nothing if another thread, or an outer call, is already delivering them.
    func deliverReports() { state.drain(\.pendingReports) { $0.handler($0.report) } }

    /// Monitoring requires full accuracy, because positions with reduced accuracy are too coarse to detect crossings.
    var isAllowed: Bool { authorization.grantedAccuracy == .fullAccuracy }

    // MARK: Sources

    private func updateSubscriptions() {
        positionSubscription.update {
            guard isAllowed, state.withLock({ $0.watched.contains(where: \.needsPosition) }) else { return nil }
            return PositionRequest(receiver: receiver)
        } subscribe: { request in
            positions.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        beaconSubscription.update {
            isAllowed && state.withLock({ $0.watched.contains { !$0.needsPosition } }) ? true : nil
        } subscribe: { _ in
            // Assumes that beacons can be received. If they cannot, the source reports the loss again.
            restartBeaconTrackers()
            return beacons.subscribe { [weak self] event in self?.receive(event) }
        }
        setTimer()
    }

    private func receive(_ event: PositionEvent) {
        guard isAllowed else { return }
        let hasReports = state.withLock { state in
            guard let fix = state.fixes.process(event, clock), state.track.accept(fix) else { return false }
            for index in state.watched.indices {
                guard let report = Self.process(fix, &state.watched[index], state.track, state.rules) else { continue }
                state.add(report, of: state.watched[index])
            }
            return !state.pendingReports.isEmpty
        }
        if hasReports { deliverReports() }
    }

    private static func process(
        _ fix: TrackedFix, _ watched: inout WatchedRegion, _ track: FixStatistics, _ rules: CrossingThresholds
    ) -> Report? {
        guard case .circle(let circle, var tracker) = watched.tracker else { return nil }
        let change = tracker.accept(
            fix, distance: geodesicDistance(circle.center, fix.coordinate), radius: circle.radius, track: track,
            rules: rules
        )
        watched.tracker = .circle(circle, tracker)
        return change.map { Report(state: $0.state, timestamp: $0.timestamp) }
    }
}

extension RegionEngine.State {
    /// The maximum number of pending reports. If the limit is reached, the oldest report is dropped.
    private static let limit = 4096

    mutating func add(_ report: RegionEngine.Report, of watched: RegionEngine.WatchedRegion) {
        pendingReports.append(.init(watch: watched.watch, handler: watched.handler, report: report), limit: Self.limit)
    }
}

extension RegionEngine.WatchedRegion {
    var needsPosition: Bool { if case .circle = tracker { true } else { false } }

    var beaconDeadline: BootTime? {
        guard case .beacons(_, let tracker) = tracker else { return nil }
        return tracker.deadline
    }
}

extension RegionEngine: LocationAuthorization.Observer {
    func authorizationChanged() {
        if !isAllowed {
            state.withLock { state in
                // The next beacon subscription sets this to false and restarts the exit timeouts.
                state.isBeaconSourceLost = true
                state.track = FixStatistics()
                for index in state.watched.indices {
                    guard case .circle(let circle, var tracker) = state.watched[index].tracker else { continue }
                    tracker.discardCrossing()
                    state.watched[index].tracker = .circle(circle, tracker)
                }
            }
        }
        updateSubscriptions()
    }

    var use: LocationUse? {
        guard isAllowed else { return nil }
        let (isWatching, since) = state.withLock { (!$0.watched.isEmpty, $0.since) }
        guard isWatching else { return nil }
        return LocationUse(
            services: .regions, purpose: purpose, since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
