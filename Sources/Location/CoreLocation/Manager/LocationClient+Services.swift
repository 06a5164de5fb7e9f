// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Synchronization

/// Starts and stops location updates and single requests, from any thread.
extension LocationClient {
    func start(_ service: Services) {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        let cached = cachedFix
        let isGranted = authorization.isGranted
        updateState { state in
            guard !state.services.contains(service) else { return }
            state.addService(service, at: device.clock.wallTime)
            if service == .standard {
                state.distanceFilter = DistanceFilter()
                state.pauseDetector = PauseDetector()
                state.cancelRequest()
            } else {
                state.significantFilter = SignificantChangeFilter()
            }
            state.converter.reducedAccuracy = ReducedAccuracy()
            if authorization.isDeniedOrRestricted {
                state.pendingCallbacks.add(.failure(CLError(.denied)))
            } else if isGranted, let cached, !state.isRepetition(cached) {
                state.converter.sky = cached.sky
                process(cached.report, &state, services: service)
            }
        } then: {
            updateSubscription()
        }
    }

    func stop(_ service: Services) {
        state.withLock { state in
            if service == .standard {
                state.cancelRequest()
                state.pendingCallbacks.removePauses()
            }
            // Stopping a service that is not running must not discard the pending result of `requestLocation()`.
            let wasRunning = state.services.remove(service) != nil
            if state.services.isEmpty, wasRunning || service == .standard {
                state.pendingCallbacks.removeLocationsAndFailures()
            }
        }
        updateSubscription()
    }

    func requestLocation() {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        let cached = cachedFix
        let now = device.clock.now
        updateState { state in
            guard !state.services.contains(.standard), state.request == nil else { return }
            if authorization.isDeniedOrRestricted {
                state.pendingCallbacks.add(.failure(CLError(.denied)))
                return
            }
            state.addService(.singleRequest, at: device.clock.wallTime)
            let deadline = now.advanced(bySeconds: state.settings.requestTimeout.inSeconds)
            state.requestNumber &+= 1
            let number = state.requestNumber
            state.request = SingleRequest(timer: device.clock.timer(at: deadline) { self.requestDidTimeOut(number) })
            state.converter.reducedAccuracy = ReducedAccuracy()
            if authorization.isGranted, let cached, !state.isRepetition(cached),
                now.seconds(since: cached.report.arrival) <= SingleRequest.maximumAge
            {
                state.converter.sky = cached.sky
                process(cached.report, &state, services: .singleRequest)
            }
        } then: {
            updateSubscription()
        }
    }

    /// The last fix, or nil if it is not from the requested receiver.
    var cachedFix: PositionFix? {
        guard let fix = device.positionSource.lastFix else { return nil }
        guard let receiver = settings.receiver ?? device.configuration.receiver.value else { return fix }
        return fix.report.receiver == receiver ? fix : nil
    }

    /// Reports that location updates cannot be deferred, because no receiver on Linux stores fixes.
    func refuseDeferredUpdates() {
        updateState { state in
            let isUpdating = state.services.contains(.standard)
            state.pendingCallbacks.add(
                .deferredFinished(CLError(isUpdating ? .deferredFailed : .deferredNotUpdatingLocation)))
        }
    }

    /// Ends a `requestLocation()` call that has timed out. Does nothing if the call has already ended.
    func requestDidTimeOut(_ number: UInt32) {
        updateState { state in
            guard let request = state.request, number == state.requestNumber else { return }
            if let best = request.best {
                state.pendingCallbacks.add(best)
            } else {
                state.pendingCallbacks.add(.failure(CLError(.locationUnknown, cause: state.lastLoss)))
            }
            state.cancelRequest()
        } then: {
            updateSubscription()
        }
    }

    func updateSubscription() {
        subscription.update {
            let (services, settings, executor) = state.withLock {
                ($0.services, $0.settings, $0.drainScheduler?.executor)
            }
            guard !services.isEmpty, authorization.isGranted else { return nil }
            var request = PositionRequest(
                includesAllReports: settings.deliversEveryReport,
                receiver: settings.receiver ?? device.configuration.receiver.value,
                includesRawBytes: settings.keepsRawReports)
            request.executor = ExecutorIdentity(executor)
            return request
        } subscribe: { request in
            // The closures retain `self` until the subscription ends, in `shutDown()` at the latest. A weak reference
            // would slow down the client's reference counting.
            device.positionSource.subscribe(
                request, receive: { event in self.receive(event) }, onBatchComplete: { self.scheduleDrainIfNeeded() })
        }
    }
}
