// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Everything behind one loop over live updates.
final class LiveUpdateClient: Sendable {
    /// More elements than this do not wait: the oldest are dropped.
    static let limit = 1024

    private struct State: ConsumedState {
        var elements = Outbox<CLLocationUpdate>()
        var since = WallTime.epoch
        var sky: SkyReport?
        var receiverKind = ReceiverKind()
        var lastTime: WallTime?
        var isLost = false
        var detector = StationaryDetector()
        var reducedAccuracy = ReducedAccuracy()

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

    // MARK: The program's side

    func next() async -> CLLocationUpdate? {
        if loop.start({ $0.since = device.clock.wallTime }) { begin() }
        return await loop.next { self.finish() }
    }

    /// The loop was left, or its task cancelled.
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
                state.sky = cached.sky
                self.take(cached.report, &state)
            }
        }
        adjustSubscription()
    }

    // MARK: The source's side

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
            case .sky(let sky): state.sky = sky
            case .attitude, .receivers, .line, .regained: break
            }
        }
    }

    private func take(_ report: PositionReport, _ state: inout State) {
        // A report may be on its way here while the authorization is revoked.
        guard let accuracy = authorization.grantedAccuracy else { return }
        let hasReturned = state.isLost
        state.isLost = false
        let isOutOfOrder = report.time.map { time in state.lastTime.map { time < $0 } ?? false } ?? false
        if let time = report.time { state.lastTime = time }
        let values = LocationConversion.values(
            of: report, sky: state.sky, fallbackTime: device.clock.wallTime, isSimulated: device.isSimulated,
            isAccessory: state.receiverKind.isAccessory(report.receiver))
        let hasComeToRest = state.detector.accept(values, now: report.arrival)
        guard !state.detector.isStationary || hasComeToRest || hasReturned else { return }
        let location: CLLocation
        if accuracy == .reducedAccuracy {
            guard let coarse = state.reducedAccuracy.reduce(values, now: report.arrival) else {
                // Too early for a place, but not for the news.
                if hasComeToRest || hasReturned {
                    state.add(element(stationary: state.detector.isStationary))
                }
                return
            }
            location = CLLocation(coarse)
        } else {
            location = CLLocation(
                values,
                details: LocationDetails(
                    report: report, sky: state.sky, isOutOfOrder: isOutOfOrder, clock: device.clock))
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
            // What is allowed now is told at once, also while the device rests.
            state.detector = StationaryDetector()
            state.reducedAccuracy = ReducedAccuracy()
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
