// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Everything behind one manager. It receives readings on the source's thread, decides what the program shall hear, and
/// tells it where the program wants to be told.
final class LocationClient: Sendable {
    typealias Services = LocationUse.Services

    let device: Device
    let authorization: LocationAuthorization
    let heardCompass: HeardCompass
    /// The delivery of the place where the manager was made.
    let ownDelivery: any Delivery
    let state: Mutex<State>
    let subscription = StandingSubscription<PositionRequest>()
    /// Held while the subscriptions to headings are brought in line with what runs; never together with a callback.
    let headingSubscriptions = Mutex(HeadingSubscriptions())
    /// Held while ranging is brought in line with what is wanted; never together with a callback.
    let rangingRun = Mutex(RangingRun())
    /// Brings the compass in a moment.
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

    /// The manager is gone: nothing runs for it any more.
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
        // It goes outside of the lock.
        _ = state.withLock { $0.turn.take() }
    }

    // MARK: What the program sets and asks

    func attach(_ manager: CLLocationManager) {
        state.withLock { $0.manager = manager }
    }

    var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            // The first delegate is told what the authorization is; later ones ask for themselves.
            change { state in
                state.delegate = newValue
                guard newValue != nil, !state.hasIntroducedItself else { return }
                state.hasIntroducedItself = true
                state.mailbox.add(.authorization)
            }
            // What an earlier run of the program monitored goes on.
            if newValue != nil { regions.add(self) }
        }
    }

    var settings: LocationSettings { state.withLock { $0.settings } }

    /// Changes settings in one go, so that two threads do not undo each other's.
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
            // Its place may wait for readings itself.
            adjustSubscription()
        }
    }
}

extension LocationClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        change { state in
            if state.hasIntroducedItself { state.mailbox.add(.authorization) }
            let isRefused = authorization.isRefused
            // Once for each refusal, and also in place of the result of a request that nobody has heard yet.
            if isRefused, !state.isRefused, !state.services.isEmpty || state.mailbox.hasLocations {
                state.mailbox.removePositions()
                state.mailbox.add(.failure(CLError(.denied)))
                state.cancelRequest()
            }
            if let error = rangingRefusal {
                for wish in state.ranging.wishes {
                    // In place of what nobody has heard yet.
                    state.mailbox.removeRanging(wish)
                    state.mailbox.add(.rangingFailure(error, wish))
                }
            }
            // Nothing is kept that may not be known any more.
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
