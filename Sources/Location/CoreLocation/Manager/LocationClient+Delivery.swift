// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// Callbacks, where the program wants them.
extension LocationClient {
    /// Changes the state, and has the program told when something waits for it then.
    ///
    /// - Parameter next: Done before the turn is scheduled, without the lock.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result, then next: () -> Void = {}) -> Result {
        let (result, turn) = state.withLock { state -> (Result, Turn?) in
            let result = body(&state)
            return (result, state.mailbox.outbox.claimTurn() ? state.turn : nil)
        }
        next()
        turn?.schedule()
        return result
    }

    /// Has the program told what waits for it.
    func tellWhatWaits() {
        change { _ in }
    }

    /// A turn, and the place where it is to be. By itself, because there are weak references to the client, which make each
    /// other one slow; the client has one until it retires.
    final class Turn: Sendable {
        private let client: LocationClient
        let delivery: any Delivery

        init(of client: LocationClient, on delivery: any Delivery) {
            self.client = client
            self.delivery = delivery
        }

        func schedule() { delivery.schedule { self.client.deliver() } }
    }

    /// Hands over what waits in the mailbox.
    private func deliver() {
        // The manager lives until the turn is over, the former delegate goes outside of the lock: it may stop its manager
        // as it goes. Neither is looked at twice: the reference may be the last, and would go inside the lock.
        var item: Mailbox.Item?
        var delegate: (any CLLocationManagerDelegate)?
        var next: Turn?
        let manager = state.withLock { state in
            let manager = state.manager
            // A manager that is gone leaves nobody to be told.
            if manager == nil { state.mailbox.outbox.startAnew() }
            state.mailbox.outbox.beginTurn()
            state.isInCallback = manager != nil
            state.takeNext(&item, &delegate, &next)
            return manager
        }
        guard let manager else { return }
        var hasToldRegions = false
        device.bind {
            // Taken out, so that nothing is left in them that could go inside the lock.
            while let current = item.take() {
                if case .region = current { hasToldRegions = true }
                if let told = delegate.take() { tell(told, current, manager) }
                state.withLock { $0.takeNext(&item, &delegate, &next) }
            }
        }
        if hasToldRegions { regions.keepWhatWasHeard() }
        next?.schedule()
    }

    private func tell(_ delegate: any CLLocationManagerDelegate, _ item: Mailbox.Item, _ manager: CLLocationManager) {
        switch item {
        case .location(let location): delegate.locationManager(manager, didUpdateLocations: [location])
        case .locations(let locations): delegate.locationManager(manager, didUpdateLocations: locations)
        case .failure(let error), .headingFailure(let error):
            delegate.locationManager(manager, didFailWithError: error)
        case .authorization: delegate.locationManagerDidChangeAuthorization(manager)
        case .deferredFinished(let error):
            delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
        case .heading(let heading): delegate.locationManager(manager, didUpdateHeading: heading)
        // There is nothing that could be shown.
        case .calibrationQuestion: _ = delegate.locationManagerShouldDisplayHeadingCalibration(manager)
        case .ranging(let beacons, .constraint(let constraint)):
            delegate.locationManager(manager, didRange: beacons, satisfying: constraint)
        case .ranging(let beacons, .region(let region)):
            delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
        case .rangingFailure(let error, .constraint(let constraint)):
            delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
        case .rangingFailure(let error, .region(let region)):
            delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
        case .region(let news): tell(delegate, news, manager)
        case .visit(let visit): delegate.locationManager(manager, didVisit: visit)
        case .pause(isPaused: true): delegate.locationManagerDidPauseLocationUpdates(manager)
        case .pause(isPaused: false): delegate.locationManagerDidResumeLocationUpdates(manager)
        }
    }
}
