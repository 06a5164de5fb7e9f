// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

/// The implementation of one iteration over live updates.
final class LiveUpdateClient: Sendable {
    /// The maximum number of buffered elements. If it is reached, the oldest element is dropped.
    static let limit = 1024

    private struct State: ConsumedState {
        var elements = Outbox<CLLocationUpdate>()
        var since = WallTime.epoch
        var maker = LocationMaker()
        var isLost = false
        var detector = StationaryDetector()

        mutating func add(_ element: CLLocationUpdate) {
            elements.append(element, limit: LiveUpdateClient.limit)
        }

        mutating func takeFirst() -> CLLocationUpdate? { elements.takeFirst() }
    }

    private let device: Device
    private let authorization: LocationAuthorization
    private let loop: ConsumerLoop<State>
    private let subscription = StandingSubscription<PositionRequest>()

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
        loop = ConsumerLoop(State(), gate: device.playback?.consumers)
    }

    // MARK: Iteration

    func next() async -> CLLocationUpdate? {
        if loop.start({ $0.since = device.clock.wallTime }) { begin() }
        return await loop.next { self.finish() }
    }

    /// Stops the client after the loop has ended or its task has been cancelled.
    func finish() {
        loop.finish()
        authorization.remove(self)
        adjustSubscription()
    }

    private func begin() {
        authorization.add(self)
        if authorization.status == .notDetermined { authorization.request(.start, purpose: nil) }
        if !authorization.isGranted {
            loop.change { $0.add(self.element()) }
        } else if let cached = device.positionSource.lastFix,
            device.configuration.receiver.value.map({ $0 == cached.report.receiver }) ?? true
        {
            loop.change { state in
                state.maker.sky = cached.sky
                self.take(cached.report, &state)
            }
        }
        adjustSubscription()
    }

    // MARK: Position source

    private func adjustSubscription() {
        subscription.follow {
            guard loop.isRunning, authorization.isGranted else { return nil }
            return PositionRequest(receiver: device.configuration.receiver.value)
        } subscribe: { request in
            device.positionSource.subscribe(request) { event in self.receive(event) }
        }
    }

    private func receive(_ event: PositionEvent) {
        loop.change { state in
            switch event {
            case .report(let report) where report.hasFix: self.take(report, &state)
            case .report, .lost:
                guard !state.isLost else { return }
                state.isLost = true
                state.add(self.element(unavailable: true))
            case .sky(let sky): state.maker.sky = sky
            case .attitude, .receivers, .line, .regained: break
            }
        }
    }

    private func take(_ report: PositionReport, _ state: inout State) {
        // The authorization may be revoked while a report is being delivered.
        guard let accuracy = authorization.grantedAccuracy else { return }
        let hasReturned = state.isLost
        state.isLost = false
        let (values, details) = state.maker.values(of: report, on: device)
        let hasComeToRest = state.detector.accept(values, now: report.arrival)
        guard !state.detector.isStationary || hasComeToRest || hasReturned else { return }
        var location: CLLocation?
        if accuracy == .reducedAccuracy {
            location = state.maker.reducedAccuracy.reduce(values, now: report.arrival).map { CLLocation($0) }
            // No location is due yet with reduced accuracy; changes of the state are still delivered.
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
            location: location,
            stationary: stationary,
            authorizationDenied: status == .denied,
            authorizationDeniedGlobally: !authorization.servicesEnabled && status == .denied,
            authorizationRestricted: status == .restricted,
            authorizationRequestInProgress: authorization.isAsking,
            locationUnavailable: unavailable,
            accuracyLimited: authorization.accuracy == .reducedAccuracy)
    }
}

extension LiveUpdateClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        loop.change { state in
            // Resets the filters, so that the next position is delivered even if the device is stationary.
            state.detector = StationaryDetector()
            state.maker.reducedAccuracy = ReducedAccuracy()
            state.add(self.element())
        }
        adjustSubscription()
    }

    var use: LocationUse? {
        guard loop.isRunning, authorization.isGranted else { return nil }
        let since = loop.read { $0.since }
        return LocationUse(
            services: .liveUpdates, purpose: device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}

/// A detector that determines from positions when a device has become stationary.
struct StationaryDetector: Sendable {
    /// The radius within which a stationary device stays, in metres. The accuracy of the position applies if it is
    /// larger.
    static let radius = 15.0
    /// The time within the radius after which the device is stationary, in seconds.
    static let patience = 60.0
    /// The speed from which the device counts as moving, in metres per second.
    static let speed = 1.0

    private var anchor: (place: CLLocationCoordinate2D, since: BootTime)?
    /// True while the device is stationary.
    private(set) var isStationary = false

    /// Processes a position. Returns true if the device has just become stationary.
    mutating func accept(_ values: CLLocation.Values, now: BootTime) -> Bool {
        let place = CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
        let radius = max(StationaryDetector.radius, values.horizontalAccuracy)
        guard let anchor, values.speed < StationaryDetector.speed, geodesicDistance(anchor.place, place) <= radius
        else {
            self.anchor = (place, now)
            isStationary = false
            return false
        }
        guard !isStationary, now.seconds(since: anchor.since) >= StationaryDetector.patience else { return false }
        isStationary = true
        return true
    }
}
