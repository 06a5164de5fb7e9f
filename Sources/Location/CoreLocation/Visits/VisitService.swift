// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Detects a device's visits for all managers that request them. Safe to use from any thread.
final class VisitService: Sendable {
    private struct State {
        var clients: [LocationClient.Weak] = []
        var tracker = VisitTracker()
        var fixes = FixConverter()
        var since = WallTime.epoch
    }

    // Storing the device itself would create a retain cycle, because the device owns this object.
    private let positions: any PositionSource
    private let clock: any DeviceClock
    private let receiver: String?
    private let purpose: String?
    private let authorization: LocationAuthorization
    private let state = Mutex(State())
    private let subscription = RequestSubscription<PositionRequest>()
    private let authorizationObserver = Mutex<WeakAuthorizationObserver?>(nil)

    static func of(_ device: Device) -> VisitService {
        device.component(VisitService.self) { VisitService(device: $0) }
    }

    init(device: Device) {
        positions = device.positionSource
        clock = device.clock
        receiver = device.configuration.receiver.value
        purpose = device.configuration.locationPurpose.value
        authorization = LocationAuthorization.of(device)
    }

    func start(for client: LocationClient) {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: client.purpose) }
        if authorization.isDeniedOrRestricted { client.enqueueFailure(CLError(.denied)) }
        let wallTime = clock.wallTime
        state.withLock { state in
            state.clients.removeAll { $0.client == nil }
            guard !state.clients.contains(where: { $0.client === client }) else { return }
            if state.clients.isEmpty { (state.tracker, state.since) = (VisitTracker(), wallTime) }
            state.clients.append(LocationClient.Weak(client: client))
        }
        authorization.add(weak: self, in: authorizationObserver)
        updateSubscription()
    }

    func stop(for client: LocationClient) {
        state.withLock { state in state.clients.removeAll { $0.client == nil || $0.client === client } }
        updateSubscription()
    }

    /// Visits require full accuracy. Reduced accuracy provides only four locations per hour, too few to detect a stay.
    private var isAllowed: Bool { authorization.grantedAccuracy == .fullAccuracy }

    private func updateSubscription() {
        subscription.update {
            guard isAllowed, state.withLock({ $0.clients.contains { $0.client != nil } }) else { return nil }
            return PositionRequest(receiver: receiver)
        } subscribe: { request in
            positions.subscribe(request) { [weak self] event in self?.receive(event) }
        }
    }

    private func receive(_ event: PositionEvent) {
        guard isAllowed else { return }
        let (visits, clients) = state.withLock { state -> ([VisitTracker.Visit], [LocationClient]) in
            let visits = state.fixes.process(event, clock).map { state.tracker.accept($0) } ?? []
            return visits.isEmpty ? ([], []) : (visits, state.clients.compactMap(\.client))
        }
        for visit in visits {
            for client in clients { client.enqueue(CLVisit(visit)) }
        }
    }
}

extension VisitService: LocationAuthorization.Observer {
    func authorizationChanged() {
        // A visit in progress is discarded only if full accuracy is no longer authorized.
        if !isAllowed { state.withLock { $0.tracker = VisitTracker() } }
        updateSubscription()
    }

    var use: LocationUse? {
        guard isAllowed else { return nil }
        let (isWanted, since) = state.withLock { ($0.clients.contains { $0.client != nil }, $0.since) }
        guard isWanted else { return nil }
        return LocationUse(
            services: .visits, purpose: purpose, since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
