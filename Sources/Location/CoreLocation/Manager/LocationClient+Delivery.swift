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
        let (result, delivery) = state.withLock { state -> (Result, (any Delivery)?) in
            let result = body(&state)
            return (result, state.mailbox.outbox.claimTurn() ? state.delivery : nil)
        }
        next()
        delivery?.schedule { self.deliver() }
        return result
    }

    /// Has the program told what waits for it.
    func tellWhatWaits() {
        change { _ in }
    }

    /// A turn: hands over what waits in the mailbox.
    private func deliver() {
        // The manager lives until the turn is over, the former delegate goes outside of the lock: it may stop its manager
        // as it goes. Neither is looked at twice: the reference may be the last, and would go inside the lock.
        var item: Mailbox.Item?
        var delegate: (any CLLocationManagerDelegate)?
        var next: (any Delivery)?
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
            while let current = item {
                let told = delegate
                // Nothing is left in them that could go inside the lock.
                (item, delegate) = (nil, nil)
                if case .region = current { hasToldRegions = true }
                if let told { tell(told, current, manager) }
                state.withLock { $0.takeNext(&item, &delegate, &next) }
            }
        }
        if hasToldRegions { regions.keepWhatWasHeard() }
        next?.schedule { self.deliver() }
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
