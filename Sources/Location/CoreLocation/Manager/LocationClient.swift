// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// The implementation of a manager. Filters readings and calls the delegate on the manager's executor. Safe to use from
/// any thread. `headingSubscriptions` and `rangingRun` are locked before `state`. No lock is held during a callback.
final class LocationClient: Sendable {
    typealias Services = LocationUse.Services
    struct Weak { weak var client: LocationClient? }

    let device: Device
    let authorization: LocationAuthorization
    let compassRecord: CompassRecord
    /// The executor for the context that created the manager.
    let defaultExecutor: any CallbackExecutor
    let state: Mutex<State>
    let subscription = RequestSubscription<PositionRequest>()
    let headingSubscriptions = Mutex(HeadingSubscriptions())
    let rangingRun = Mutex(RangingRun())
    /// A timer that subscribes to the gpsd compass after a sensor has been lost.
    let compassSubscriptionTimer = Mutex<ClockTimer?>(nil)

    init(device: Device) {
        self.device = device
        authorization = LocationAuthorization.of(device)
        compassRecord = CompassRecord.of(device)
        defaultExecutor = ExecutorSelection.forCurrentContext(device: device)
        state = Mutex(State(wasRefused: authorization.isDeniedOrRestricted))
        state.withLock { $0.drainScheduler = DrainScheduler(of: self, on: defaultExecutor) }
        authorization.add(self)
    }

    func shutDown() {
        stopHeadings()
        stopRanging()
        if state.withLock({ $0.monitorsVisits }) { visits.stop(for: self) }
        state.withLock { state in
            state.cancelRequest()
            state.services = []
        }
        updateSubscription()
        authorization.remove(self)
        // Releases the scheduler outside the lock.
        _ = state.withLock { $0.drainScheduler.take() }
    }

    // MARK: Settings and state

    func attach(_ manager: CLLocationManager) { state.withLock { $0.manager = manager } }

    var delegate: (any CLLocationManagerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            updateState { state in
                state.delegate = newValue
                guard newValue != nil, !state.hasReportedAuthorization else { return }
                state.hasReportedAuthorization = true
                state.pendingCallbacks.add(.authorization)
            }
            // Resumes monitoring the regions from an earlier run of the app.
            if newValue != nil { regions.add(self) }
        }
    }

    var settings: LocationSettings { state.withLock { $0.settings } }

    /// Changes settings atomically, so that concurrent changes do not overwrite each other.
    func set(_ body: (inout LocationSettings) -> Void) {
        state.withLock { body(&$0.settings) }
        updateSubscription()
    }

    var location: CLLocation? { state.withLock { $0.location } }

    var precedingLocation: CLLocation? { state.withLock { $0.precedingLocation } }

    var droppedLocations: Int { state.withLock { $0.pendingCallbacks.droppedLocations } }

    var delegateQueue: DispatchQueue? {
        get { state.withLock { $0.delegateQueue } }
        set {
            let executor = newValue.map { ExecutorSelection.executor(for: $0, device: device) } ?? defaultExecutor
            state.withLock { state in
                state.delegateQueue = newValue
                state.drainScheduler = DrainScheduler(of: self, on: executor)
            }
            // The position request depends on the executor, because some executors poll the source themselves.
            updateSubscription()
        }
    }
}

extension LocationClient: LocationAuthorization.Observer {
    func authorizationChanged() {
        updateState { state in
            if state.hasReportedAuthorization { state.pendingCallbacks.add(.authorization) }
            let isRefused = authorization.isDeniedOrRestricted
            // Reports a denied or restricted authorization only once. The error replaces all pending locations and
            // errors.
            if isRefused, !state.wasRefused, !state.services.isEmpty || state.pendingCallbacks.hasLocations {
                state.pendingCallbacks.removeLocationsAndFailures()
                state.pendingCallbacks.add(.failure(CLError(.denied)))
                state.cancelRequest()
            }
            if let error = rangingRefusal {
                for request in state.ranging.requests {
                    state.pendingCallbacks.removeRanging(request)
                    state.pendingCallbacks.add(.rangingFailure(error, request))
                }
            }
            if isRefused || authorization.accuracy == .reducedAccuracy { state.discardPositions() }
            state.wasRefused = isRefused
        } then: {
            updateSubscription()
            updateRangingSubscription()
        }
    }

    var use: LocationUse? {
        let (services, purpose, since) = state.withLock { state in
            let ranging: Services = state.ranging.requests.isEmpty ? [] : .ranging
            return (state.services.union(ranging), state.settings.purpose, state.since)
        }
        guard !services.isEmpty, authorization.isGranted else { return nil }
        return LocationUse(
            services: services, purpose: purpose ?? device.configuration.locationPurpose.value,
            since: Date(timeIntervalSinceReferenceDate: since.sinceReferenceDate))
    }
}
