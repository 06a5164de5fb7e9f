// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// The implementation of a manager. It receives readings on the source's thread, filters them, and calls the delegate
/// on the manager's executor.
final class LocationClient: Sendable {
    typealias Services = LocationUse.Services

    let device: Device
    let authorization: LocationAuthorization
    let heardCompass: HeardCompass
    /// The executor of the context in which the manager was created.
    let ownDelivery: any Delivery
    let state: Mutex<State>
    let subscription = StandingSubscription<PositionRequest>()
    /// Held while the heading subscriptions are updated; never held during a callback.
    let headingSubscriptions = Mutex(HeadingSubscriptions())
    /// Held while ranging is started or stopped; never held during a callback.
    let rangingRun = Mutex(RangingRun())
    /// The timer that subscribes to the compass after the loss of a sensor.
    let compassTimer = Mutex<ClockTimer?>(nil)

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
        heardCompass = HeardCompass.of(device)
        ownDelivery = AppDelivery.forCurrentPlace(device: device)
        state = Mutex(State(isRefused: authorization.isRefused))
        state.withLock { $0.turn = Turn(of: self, on: ownDelivery) }
        authorization.add(self)
    }

    /// Ends all services when the manager is deallocated.
    func retire() {
        stopHeadings()
        stopRanging()
        if state.withLock({ $0.watchesVisits }) { visits.stop(for: self) }
        state.withLock { state in
            state.cancelRequest()
            state.services = []
        }
        adjustSubscription()
        authorization.remove(self)
        // Released outside the lock.
        _ = state.withLock { $0.turn.take() }
    }

    // MARK: Settings and state

    func attach(_ manager: CLLocationManager) {
        state.withLock { $0.manager = manager }
    }

    var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            // Only the first delegate is notified of the current authorization.
            change { state in
                state.delegate = newValue
                guard newValue != nil, !state.hasIntroducedItself else { return }
                state.hasIntroducedItself = true
                state.mailbox.add(.authorization)
            }
            // Resumes the regions that an earlier run of the app monitored.
            if newValue != nil { regions.add(self) }
        }
    }

    var settings: LocationSettings { state.withLock { $0.settings } }

    /// Changes settings atomically, so that concurrent changes do not overwrite each other.
    func set(_ body: (inout LocationSettings) -> Void) {
        state.withLock { body(&$0.settings) }
        adjustSubscription()
    }

    var location: CLLocation? { state.withLock { $0.location } }

    var precedingLocation: CLLocation? { state.withLock { $0.precedingLocation } }

    var droppedLocations: Int { state.withLock { $0.mailbox.droppedLocations } }

    var delegateQueue: DispatchQueue? {
        get { state.withLock { $0.delegateQueue } }
        set {
            let delivery = newValue.map { AppDelivery.on($0, device: device) } ?? ownDelivery
            state.withLock { state in
                state.delegateQueue = newValue
                state.turn = Turn(of: self, on: delivery)
            }
            // The new executor may be able to poll the source itself, which changes the request.
            adjustSubscription()
        }
    }
}

extension LocationClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        change { state in
            if state.hasIntroducedItself { state.mailbox.add(.authorization) }
            let isRefused = authorization.isRefused
            // Reported once per refusal, and in place of an undelivered result of a request.
            if isRefused, !state.isRefused, !state.services.isEmpty || state.mailbox.hasLocations {
                state.mailbox.removePositions()
                state.mailbox.add(.failure(CLError(.denied)))
                state.cancelRequest()
            }
            if let error = rangingRefusal {
                for wish in state.ranging.wishes {
                    // Replaces undelivered results.
                    state.mailbox.removeRanging(wish)
                    state.mailbox.add(.rangingFailure(error, wish))
                }
            }
            // Discards positions that the app is no longer authorized to receive.
            if isRefused || authorization.accuracy == .reducedAccuracy { state.forgetPlaces() }
            state.isRefused = isRefused
        } then: {
            adjustSubscription()
            adjustRanging()
        }
    }

    var use: LocationUse? {
        let (services, purpose, since) = state.withLock { state in
            let ranging: Services = state.ranging.wishes.isEmpty ? [] : .ranging
            return (state.services.union(ranging), state.settings.purpose, state.since)
        }
        guard !services.isEmpty, authorization.isGranted else { return nil }
        return LocationUse(
            services: services, purpose: purpose ?? device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
