// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Watches the borders of all regions and conditions of a device: one for each device, with one subscription to its
/// positions, and one to its beacons.
///
/// It listens only while there is something to watch and the authorization allows it. gpsd cannot be asked to speak only
/// when the device moves: it reports as often as the receiver does, and each report costs a few microseconds here. There
/// is no timer for circles. So when the receiver rests, or no receiver is there, nothing wakes this process for them.
final class RegionEngine: Sendable {
    /// One watch over one region. None has the name of an earlier one: what is still on its way from a watch that has
    /// ended is not taken for news of the one in its place.
    struct Watch: Hashable, Sendable {
        private static let last = Atomic<UInt64>(0)
        private let number = Watch.last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The state of a region, when it has become known or is another one.
    struct Report: Sendable {
        var state: CLRegionState
        /// Since when, by the first fix or sighting: seconds since 2001-01-01T00:00:00Z.
        var timestamp: Double
        /// The beacon that was heard.
        var beacon: BeaconIdentity?
    }

    typealias Tell = @Sendable (Report) -> Void

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

    struct Watched {
        let watch: Watch
        var tracker: Tracker
        let tell: Tell
    }

    struct News: Sendable {
        let watch: Watch
        let tell: Tell
        let report: Report
    }

    struct State {
        var watched: [Watched] = []
        /// What is to be told, in order: two threads must not tell the states of one region the wrong way round.
        var news = Outbox<News>()
        var rules = RegionRules()
        var track = PositionTrack()
        var fixes = FixReader()
        var since = WallTime.epoch
        /// True while no beacon can be heard, and silence means nothing.
        var isDeaf = false
        var timer: ClockTimer?
    }

    /// Older fixes than this, in seconds, do not stand in for one that is awaited.
    static let freshness = 10.0

    // Not the device, which owns this object.
    private let positions: any PositionSource
    let beacons: any BeaconSource
    let clock: any DeviceClock
    private let receiver: String?
    private let purpose: String?
    private let authorization: LocationAuthorization
    let state = Mutex(State())
    private let positionSubscription = StandingSubscription<PositionRequest>()
    private let beaconSubscription = StandingSubscription<Bool>()
    private let watcher = Mutex<WeakAuthorizationObserver?>(nil)

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

    // MARK: What is watched

    var rules: RegionRules {
        get { state.withLock { $0.rules } }
        set { state.withLock { $0.rules = newValue } }
    }

    /// Why no beacon can be heard; nil when they can.
    var beaconProblem: DeviceError? { beacons.problem }

    /// Watches a region from now on; a watch that goes on already begins anew.
    ///
    /// - Parameters:
    ///   - known: The state that holds until something else is seen. Unknown: the first state that is seen is reported.
    ///   - tell: Called without a lock, on the source's thread, or within this call when a fix is at hand. A report may
    ///     be on its way while the watch is ended, so the caller asks whether it is still its own.
    func watch(_ watch: Watch, _ shape: RegionShape, known: CLRegionState = .unknown, tell: @escaping Tell) {
        let now = clock.now
        let fresh = positions.lastFix.flatMap { fix -> TrackedFix? in
            guard now.seconds(since: fix.report.arrival) <= Self.freshness,
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
            var watched = Watched(watch: watch, tracker: tracker, tell: tell)
            state.news.removeAll { $0.watch == watch }
            if isAllowed, let fresh, let report = Self.take(fresh, &watched, state.track, state.rules) {
                state.add(report, of: watched)
            }
            if let index = state.watched.firstIndex(where: { $0.watch == watch }) {
                state.watched[index] = watched
            } else {
                state.watched.append(watched)
            }
        }
        register()
        tellNews()
        adjust()
    }

    func unwatch(_ watches: [Watch]) {
        state.withLock { state in
            state.watched.removeAll { watches.contains($0.watch) }
            state.news.removeAll { watches.contains($0.watch) }
        }
        adjust()
    }

    /// On which side the device is; unknown, too, when nobody watches that.
    func state(of watch: Watch) -> CLRegionState {
        state.withLock { state in state.watched.first { $0.watch == watch }?.tracker.state ?? .unknown }
    }

    /// Tells what waits, unless another thread, or a caller further up, is doing so.
    func tellNews() { state.handOn(\.news) { $0.tell($0.report) } }

    /// True while borders may be watched: a coarse position tells nothing of them.
    var isAllowed: Bool { authorization.grantedAccuracy == .fullAccuracy }

    // MARK: What comes in

    /// Once there is something to watch; making a component must have no effect.
    private func register() {
        let new = watcher.withLock { watcher -> WeakAuthorizationObserver? in
            guard watcher == nil else { return nil }
            watcher = WeakAuthorizationObserver(self)
            return watcher
        }
        if let new { authorization.add(new) }
    }

    private func adjust() {
        let isAllowed = isAllowed
        positionSubscription.follow {
            guard isAllowed, state.withLock({ $0.watched.contains(where: \.needsPosition) }) else { return nil }
            return PositionRequest(receiver: receiver)
        } subscribe: { request in
            positions.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        beaconSubscription.follow {
            isAllowed && state.withLock({ $0.watched.contains { !$0.needsPosition } }) ? true : nil
        } subscribe: { _ in
            // What was heard or lost while nobody listened is not known; a loss that lasts is told anew.
            let now = clock.now
            changeBeacons { $0.quietSince = now }
            state.withLock { $0.isDeaf = false }
            return beacons.subscribe { [weak self] event in self?.receive(event) }
        }
        setTimer()
    }

    private func receive(_ event: PositionEvent) {
        guard isAllowed else { return }
        let hasNews = state.withLock { state in
            guard let fix = state.fixes.take(event, clock), state.track.accept(fix) else { return false }
            for index in state.watched.indices {
                guard let report = Self.take(fix, &state.watched[index], state.track, state.rules) else { continue }
                state.add(report, of: state.watched[index])
            }
            return !state.news.isEmpty
        }
        if hasNews { tellNews() }
    }

    private static func take(
        _ fix: TrackedFix, _ watched: inout Watched, _ track: PositionTrack, _ rules: RegionRules
    ) -> Report? {
        guard case .circle(let circle, var tracker) = watched.tracker else { return nil }
        let change = tracker.accept(
            fix, distance: geodesicDistance(circle.center, fix.place), radius: circle.radius, track: track, rules: rules
        )
        watched.tracker = .circle(circle, tracker)
        return change.map { Report(state: $0.state, timestamp: $0.timestamp) }
    }
}

extension RegionEngine.State {
    /// More news than this does not wait for a thread that tells.
    private static let limit = 4096

    mutating func add(_ report: RegionEngine.Report, of watched: RegionEngine.Watched) {
        news.append(.init(watch: watched.watch, tell: watched.tell, report: report), limit: Self.limit)
    }
}

extension RegionEngine.Watched {
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
                state.isDeaf = true
                state.track = PositionTrack()
                for index in state.watched.indices {
                    guard case .circle(let circle, var tracker) = state.watched[index].tracker else { continue }
                    tracker.interrupt()
                    state.watched[index].tracker = .circle(circle, tracker)
                }
            }
        }
        adjust()
    }

    var use: LocationUse? {
        guard isAllowed else { return nil }
        let (isWatching, since) = state.withLock { (!$0.watched.isEmpty, $0.since) }
        guard isWatching else { return nil }
        return LocationUse(
            services: .regions, purpose: purpose, since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
