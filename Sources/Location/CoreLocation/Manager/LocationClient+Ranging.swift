// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Subscribes to beacons while there are ranging requests, and reports the beacons once per second.
extension LocationClient {
    struct RangingRun {
        var subscription: Subscription?
        var timer: ClockTimer?
        /// The number of the current ranging run. It identifies late timers from earlier runs, which are ignored.
        var number: UInt32 = 0
    }

    var rangingRequests: [RangingRequest] { state.withLock { $0.ranging.requests } }

    func startRanging(_ request: RangingRequest) {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        updateState { state in
            guard state.ranging.start(request) else { return }
            if state.services.isEmpty, state.ranging.requests.count == 1 { state.since = device.clock.wallTime }
            if let error = rangingRefusal ?? state.ranging.loss.map(Self.unavailable) {
                state.pendingCallbacks.add(.rangingFailure(error, request))
            }
        } then: {
            updateRangingSubscription()
        }
    }

    func stopRanging(_ request: RangingRequest) {
        state.withLock { state in
            state.ranging.stop(request)
            state.pendingCallbacks.removeRanging(request)
        }
        updateRangingSubscription()
    }

    func stopRanging() {
        state.withLock { state in for request in state.ranging.requests { state.ranging.stop(request) } }
        updateRangingSubscription()
    }

    /// The error to report if the app is not authorized to range beacons. nil if the app is authorized or its
    /// authorization is undecided.
    var rangingRefusal: CLError? {
        if authorization.isDeniedOrRestricted { return CLError(.denied) }
        guard authorization.accuracy == .reducedAccuracy else { return nil }
        return Self.unavailable(
            DeviceError(
                .permissionDenied,
                "Beacons reveal the exact location, but the app is authorized for reduced accuracy only. Request full accuracy, or set location.reducedAccuracy to false in the configuration."
            ))
    }

    func updateRangingSubscription() {
        rangingRun.withLock { run in
            // Reads the state only after acquiring the subscription lock, so that if several threads call this function
            // at the same time, the last one applies the latest state.
            let isWanted = !rangingRequests.isEmpty && authorization.grantedAccuracy == .fullAccuracy
            guard isWanted != (run.subscription != nil) else { return }
            run.number &+= 1
            guard isWanted else {
                run.subscription?.cancel()
                run.timer?.cancel()
                (run.subscription, run.timer) = (nil, nil)
                state.withLock { $0.ranging.reset() }
                return
            }
            schedule(&run, at: device.clock.now.advanced(bySeconds: RangingState.interval))
            // The closure retains `self` until the subscription ends, in `shutDown()` at the latest.
            run.subscription = device.beaconSource.subscribe { event in self.receive(event) }
        }
    }

    private func schedule(_ run: inout RangingRun, at time: BootTime) {
        let number = run.number
        run.timer = device.clock.timer(at: time) { self.reportBeacons(due: time, number) }
    }

    private func reportBeacons(due time: BootTime, _ number: UInt32) {
        let isCurrent = rangingRun.withLock { run in
            guard run.number == number else { return false }
            // Keeps the period constant unless the clock has jumped, for example because the machine was suspended.
            let next = time.advanced(bySeconds: RangingState.interval)
            let now = device.clock.now
            schedule(&run, at: next > now ? next : now.advanced(bySeconds: RangingState.interval))
            return true
        }
        guard isCurrent else { return }
        updateState { state in
            for report in state.ranging.reports(at: device.clock) {
                state.pendingCallbacks.add(.ranging(report.beacons, report.request))
            }
        }
    }

    private func receive(_ event: BeaconEvent) {
        switch event {
        case .sighting(let sighting): state.withLock { $0.ranging.process(sighting) }
        case .regained: state.withLock { $0.ranging.clearLoss() }
        case .lost(let error):
            updateState { state in
                state.ranging.recordLoss(error)
                for request in state.ranging.requests {
                    state.pendingCallbacks.add(.rangingFailure(Self.unavailable(error), request))
                }
            }
        }
    }

    private static func unavailable(_ error: DeviceError) -> CLError { CLError(.rangingUnavailable, cause: error) }
}
