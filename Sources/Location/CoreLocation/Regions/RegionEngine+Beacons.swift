// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Monitors beacon regions. Beacon events arrive on the beacon source's thread, and timers fire on a clock thread. The
/// functions lock `state` themselves.
extension RegionEngine {
    func receive(_ event: BeaconEvent) {
        switch event {
        case .sighting(let sighting): process(sighting)
        case .lost: state.withLock { $0.isBeaconSourceLost = true }
        case .regained: restartBeaconTrackers()
        }
        setTimer()
    }

    private func process(_ sighting: BeaconSighting) {
        guard isAllowed else { return }
        let date = date(of: sighting.time)
        state.withLock { state in
            state.updateBeaconTrackers { pattern, tracker in
                guard pattern.matches(sighting.identity), tracker.recordSighting(at: sighting.time) else { return nil }
                return Report(state: .inside, timestamp: date, beacon: sighting.identity)
            }
        }
        deliverReports()
    }

    /// Starts a timer for the earliest deadline, unless a timer is already running. A running timer is never too late,
    /// because deadlines only ever move later.
    func setTimer() {
        state.withLock { state in
            guard state.timer == nil, !state.isBeaconSourceLost, isAllowed,
                let deadline = state.watched.compactMap(\.beaconDeadline).min()
            else { return }
            state.timer = clock.timer(at: deadline) { [weak self] in self?.expireBeacons() }
        }
    }

    private func expireBeacons() {
        let now = clock.now
        let date = date(of: now)
        state.withLock { state in
            state.timer = nil
            guard !state.isBeaconSourceLost, isAllowed else { return }
            state.updateBeaconTrackers { _, tracker in
                tracker.expire(now: now) ? Report(state: .outside, timestamp: date) : nil
            }
        }
        deliverReports()
        setTimer()
    }

    /// Restarts all exit timeouts. No sightings can arrive without a subscription or while beacons cannot be received,
    /// so such periods do not count towards the timeouts.
    func restartBeaconTrackers() {
        let now = clock.now
        state.withLock { state in
            state.updateBeaconTrackers { _, tracker in
                tracker.absentSince = now
                return nil
            }
            state.isBeaconSourceLost = false
        }
    }

    private func date(of time: BootTime) -> Double {
        clock.wallTime.advanced(bySeconds: time.seconds(since: clock.now)).sinceReferenceDate
    }
}

extension RegionEngine.State {
    fileprivate mutating func updateBeaconTrackers(
        _ body: (BeaconPattern, inout BeaconTracker) -> RegionEngine.Report?
    ) {
        for index in watched.indices {
            guard case .beacons(let pattern, var tracker) = watched[index].tracker else { continue }
            let report = body(pattern, &tracker)
            watched[index].tracker = .beacons(pattern, tracker)
            if let report { add(report, of: watched[index]) }
        }
    }
}
