// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

/// Delivers updates to one loop over `liveUpdates()`. The state is protected by the lock of `loop`.
final class LiveUpdateClient: Sendable {
    /// The maximum number of buffered elements. If the buffer is full, the oldest element is dropped.
    static let limit = 1024

    private struct State: ConsumerBuffer {
        var elements = BoundedQueue<CLLocationUpdate>()
        var since = WallTime.epoch
        var converter = LocationConverter()
        var isLost = false
        var detector = StationaryDetector()

        mutating func add(_ element: CLLocationUpdate) { elements.append(element, limit: LiveUpdateClient.limit) }

        mutating func popFirst() -> CLLocationUpdate? { elements.popFirst() }
    }

    private let device: Device
    private let authorization: LocationAuthorization
    private let loop: ConsumerLoop<State>
    private let subscription = RequestSubscription<PositionRequest>()

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
        loop = ConsumerLoop(State(), gate: device.playback?.consumerGate)
    }

    // MARK: Iteration

    func next() async -> CLLocationUpdate? {
        if loop.start({ $0.since = device.clock.wallTime }) { start() }
        return await loop.next { self.finish() }
    }

    /// Called when the loop ends or its task is cancelled.
    func finish() {
        loop.finish()
        authorization.remove(self)
        updateSubscription()
    }

    private func start() {
        authorization.add(self)
        if authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        if !authorization.isGranted {
            loop.update { $0.add(self.element()) }
        } else if let cached = device.positionSource.lastFix,
            device.configuration.receiver.value.map({ $0 == cached.report.receiver }) ?? true
        {
            loop.update { state in
                state.converter.sky = cached.sky
                self.process(cached.report, &state)
            }
        }
        updateSubscription()
    }

    // MARK: Position source

    private func updateSubscription() {
        subscription.update {
            guard loop.isRunning, authorization.isGranted else { return nil }
            return PositionRequest(receiver: device.configuration.receiver.value)
        } subscribe: { request in
            device.positionSource.subscribe(request) { event in self.receive(event) }
        }
    }

    private func receive(_ event: PositionEvent) {
        loop.update { state in
            switch event {
            case .report(let report) where report.hasFix: self.process(report, &state)
            case .report, .lost:
                if case .lost = event { state.converter.sky = nil }
                guard !state.isLost else { return }
                state.isLost = true
                state.add(self.element(unavailable: true))
            case .sky(let sky): state.converter.sky = sky
            case .attitude, .receivers, .line, .regained: break
            }
        }
    }

    private func process(_ report: PositionReport, _ state: inout State) {
        // Authorization may be revoked while a report is being delivered.
        guard let accuracy = authorization.grantedAccuracy else { return }
        let hasReturned = state.isLost
        state.isLost = false
        let (values, details) = state.converter.values(of: report, on: device)
        let hasComeToRest = state.detector.accept(values, now: report.arrival)
        guard !state.detector.isStationary || hasComeToRest || hasReturned else { return }
        let location: CLLocation?
        if accuracy == .reducedAccuracy {
            location = state.converter.reducedAccuracy.reduce(values, now: report.arrival).map { CLLocation($0) }
            // Locations with reduced accuracy are infrequent. Between them, an element is added only to report a state
            // change.
            guard location != nil || hasComeToRest || hasReturned else { return }
        } else {
            location = CLLocation(values, details: details)
        }
        state.add(element(location, stationary: state.detector.isStationary))
    }

    private func element(
        _ location: CLLocation? = nil, stationary: Bool = false, unavailable: Bool = false
    ) -> CLLocationUpdate {
        let status = authorization.status
        return CLLocationUpdate(
            location: location, stationary: stationary, authorizationDenied: status == .denied,
            authorizationDeniedGlobally: !authorization.servicesEnabled && status == .denied,
            authorizationRestricted: status == .restricted,
            authorizationRequestInProgress: authorization.isRequestInProgress, locationUnavailable: unavailable,
            accuracyLimited: authorization.accuracy == .reducedAccuracy)
    }
}

extension LiveUpdateClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        loop.update { state in
            // Resets the filters, so that the next position is delivered even if the device is stationary.
            state.detector = StationaryDetector()
            state.converter.reducedAccuracy = ReducedAccuracy()
            state.add(self.element())
        }
        updateSubscription()
    }

    var use: LocationUse? {
        guard loop.isRunning, authorization.isGranted else { return nil }
        let since = loop.read { $0.since }
        return LocationUse(
            services: .liveUpdates, purpose: device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}

/// Analyses a series of positions to detect when the device becomes stationary.
struct StationaryDetector: Sendable {
    /// The maximum drift of a stationary device's positions, in metres. If the horizontal accuracy is larger, it is
    /// used instead.
    static let radius = 15.0
    /// The time that a device must stay within `radius` to count as stationary, in seconds.
    static let minimumDuration = 60.0
    /// A device at or above this speed, in metres per second, counts as moving.
    static let maximumSpeed = 1.0

    private var anchor: (coordinate: CLLocationCoordinate2D, since: BootTime)?
    private(set) var isStationary = false

    /// Processes a position and returns true if the device has just become stationary.
    mutating func accept(_ values: CLLocation.Values, now: BootTime) -> Bool {
        let coordinate = CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
        let radius = max(Self.radius, values.horizontalAccuracy)
        guard let anchor, values.speed < Self.maximumSpeed,
            geodesicDistance(anchor.coordinate, coordinate) <= radius
        else {
            self.anchor = (coordinate, now)
            isStationary = false
            return false
        }
        guard !isStationary, now.seconds(since: anchor.since) >= Self.minimumDuration else { return false }
        isStationary = true
        return true
    }
}
