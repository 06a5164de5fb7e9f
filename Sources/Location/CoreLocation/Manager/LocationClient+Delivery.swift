// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Delivers the pending callbacks to the delegate, on the manager's executor and without holding a lock.
extension LocationClient {
    /// Changes the state, calls `next` without holding the lock, and then schedules a drain if callbacks are pending.
    @discardableResult
    func updateState<Result: Sendable>(_ body: (inout State) -> Result, then next: () -> Void = {}) -> Result {
        let (result, scheduler) = state.withLock { state -> (Result, DrainScheduler?) in
            let result = body(&state)
            return (result, state.pendingCallbacks.queue.scheduleDrainIfNeeded() ? state.drainScheduler : nil)
        }
        next()
        scheduler?.schedule()
        return result
    }

    func scheduleDrainIfNeeded() { updateState { _ in } }

    /// A scheduler that drains the pending callbacks on an executor. It keeps a strong reference to the client, because
    /// a weak reference would slow down the client's reference counting. `shutDown()` breaks the resulting cycle.
    final class DrainScheduler: Sendable {
        private let client: LocationClient
        let executor: any CallbackExecutor

        init(of client: LocationClient, on executor: any CallbackExecutor) {
            self.client = client
            self.executor = executor
        }

        func schedule() { executor.schedule { self.client.drain() } }
    }

    private func drain() {
        // Releasing an object while the lock is held could cause a deadlock, because the delegate's deinitializer may
        // stop the manager, which acquires the lock. The manager is therefore retained until the drain ends, and each
        // weak reference is read only once. A second read could return the last strong reference to an object, which
        // would then be released while the lock is held.
        var item: PendingLocationCallbacks.Item?
        var delegate: (any CLLocationManagerDelegate)?
        var next: DrainScheduler?
        let (manager, isOutdated) = state.withLock { state in
            let manager = state.manager
            if manager == nil { state.pendingCallbacks.queue.reset() }
            state.pendingCallbacks.queue.beginDrain()
            state.isInCallback = manager != nil
            state.nextItem(&item, &delegate, &next)
            return (manager, exchange(&state.isSubscriptionOutdated, with: false))
        }
        guard let manager else { return }
        if isOutdated { updateSubscription() }
        var hasDeliveredRegions = false
        device.withCurrent {
            // `take()` sets the variables to nil, so `nextItem` has no old value to release while the lock is held.
            while let current = item.take() {
                if case .region = current { hasDeliveredRegions = true }
                if let currentDelegate = delegate.take() { deliver(currentDelegate, to: current, from: manager) }
                state.withLock { $0.nextItem(&item, &delegate, &next) }
            }
        }
        if hasDeliveredRegions { regions.saveDeliveredStates() }
        next?.schedule()
    }

    private func deliver(
        _ delegate: any CLLocationManagerDelegate, to item: PendingLocationCallbacks.Item,
        from manager: CLLocationManager
    ) {
        switch item {
        case .location(let location): delegate.locationManager(manager, didUpdateLocations: [location])
        case .locations(let locations): delegate.locationManager(manager, didUpdateLocations: locations)
        case .failure(let error), .headingFailure(let error):
            delegate.locationManager(manager, didFailWithError: error)
        case .authorization: delegate.locationManagerDidChangeAuthorization(manager)
        case .deferredFinished(let error):
            delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
        case .heading(let heading): delegate.locationManager(manager, didUpdateHeading: heading)
        // The result is ignored because Linux has no calibration display.
        case .calibrationPrompt: _ = delegate.locationManagerShouldDisplayHeadingCalibration(manager)
        case .ranging(let beacons, .constraint(let constraint)):
            delegate.locationManager(manager, didRange: beacons, satisfying: constraint)
        case .ranging(let beacons, .region(let region)):
            delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
        case .rangingFailure(let error, .constraint(let constraint)):
            delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
        case .rangingFailure(let error, .region(let region)):
            delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
        case .region(let event): deliver(delegate, to: event, from: manager)
        case .visit(let visit): delegate.locationManager(manager, didVisit: visit)
        case .pause(isPaused: true): delegate.locationManagerDidPauseLocationUpdates(manager)
        case .pause(isPaused: false): delegate.locationManagerDidResumeLocationUpdates(manager)
        }
    }
}
