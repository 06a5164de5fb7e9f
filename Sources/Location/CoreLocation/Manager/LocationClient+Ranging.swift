// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// The ranging of beacons. What it tells goes into the same mailbox, in one order with all else.
extension LocationClient {
    /// What ranging runs on.
    struct RangingRun {
        var subscription: Subscription?
        var timer: ClockTimer?
        /// Tells runs apart: a timer of a former one may be firing.
        var number: UInt32 = 0
    }

    var rangingWishes: [RangingWish] { state.withLock { $0.ranging.wishes } }

    func startRanging(_ wish: RangingWish) {
        if authorization.status == .notDetermined { authorization.request(.start, purpose: settings.purpose) }
        change { state in
            guard state.ranging.start(wish) else { return }
            if state.services.isEmpty, state.ranging.wishes.count == 1 { state.since = device.clock.wallTime }
            if let error = rangingRefusal ?? state.ranging.loss.map(Self.unavailable) {
                state.mailbox.add(.rangingFailure(error, wish))
            }
        } then: {
            adjustRanging()
        }
    }

    func stopRanging(_ wish: RangingWish) {
        state.withLock { state in
            state.ranging.stop(wish)
            state.mailbox.removeRanging(wish)
        }
        adjustRanging()
    }

    /// The manager is gone.
    func stopRanging() {
        state.withLock { state in for wish in state.ranging.wishes { state.ranging.stop(wish) } }
        adjustRanging()
    }

    /// Why the program may not range; nil while it may, or nobody has decided.
    var rangingRefusal: CLError? {
        if authorization.isRefused { return CLError(.denied) }
        guard authorization.accuracy == .reducedAccuracy else { return nil }
        return Self.unavailable(
            DeviceError(
                .permissionDenied,
                "Beacons tell the place exactly, and only a reduced accuracy is allowed. Ask for full accuracy, or set location.reducedAccuracy to false in the configuration."
            ))
    }

    /// Subscribes or lets go, as the program's wishes and the authorization have it now.
    func adjustRanging() {
        rangingRun.withLock { run in
            // Read inside, so that the last to come sees the last state.
            let isWanted = !rangingWishes.isEmpty && authorization.grantedAccuracy == .fullAccuracy
            guard isWanted != (run.subscription != nil) else { return }
            run.number &+= 1
            guard isWanted else {
                run.subscription?.cancel()
                run.timer?.cancel()
                (run.subscription, run.timer) = (nil, nil)
                state.withLock { $0.ranging.forget() }
                return
            }
            schedule(&run, at: device.clock.now.advanced(bySeconds: RangingState.interval))
            // Strong: retiring ends it.
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
            // Evenly, unless time has made a leap, as when the machine was asleep.
            let next = time.advanced(bySeconds: RangingState.interval)
            let now = device.clock.now
            schedule(&run, at: next > now ? next : now.advanced(bySeconds: RangingState.interval))
            return true
        }
        guard isCurrent else { return }
        change { state in
            for report in state.ranging.reports(at: device.clock) {
                state.mailbox.add(.ranging(report.beacons, report.wish))
            }
        }
    }

    private func receive(_ event: BeaconEvent) {
        switch event {
        case .sighting(let sighting): state.withLock { $0.ranging.take(sighting) }
        case .regained: state.withLock { $0.ranging.regain() }
        case .lost(let error):
            change { state in
                state.ranging.lose(error)
                for wish in state.ranging.wishes { state.mailbox.add(.rangingFailure(Self.unavailable(error), wish)) }
            }
        }
    }

    private static func unavailable(_ error: DeviceError) -> CLError { CLError(.rangingUnavailable, cause: error) }
}
