// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// Beacon events, and the deadlines of beacon regions.
extension RegionEngine {
    func receive(_ event: BeaconEvent) {
        switch event {
        case .sighting(let sighting): process(sighting)
        case .lost: state.withLock { $0.isBeaconSourceLost = true }
        case .regained:
            // Sightings during the loss are unknown, so the time without a sighting starts now.
            let now = clock.now
            updateBeaconTrackers { $0.absentSince = now }
            state.withLock { $0.isBeaconSourceLost = false }
        }
        setTimer()
    }

    private func process(_ sighting: BeaconSighting) {
        guard isAllowed else { return }
        let date = date(of: sighting.time)
        state.withLock { state in
            for index in state.watched.indices {
                guard case .beacons(let pattern, var tracker) = state.watched[index].tracker,
                    pattern.matches(sighting.identity)
                else { continue }
                let isNews = tracker.recordSighting(at: sighting.time)
                state.watched[index].tracker = .beacons(pattern, tracker)
                guard isNews else { continue }
                let report = Report(state: .inside, timestamp: date, beacon: sighting.identity)
                state.add(report, of: state.watched[index])
            }
        }
        deliverReports()
    }

    /// Starts the timer for the earliest deadline of all beacon regions. Sightings do not reschedule a running timer.
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
            for index in state.watched.indices {
                guard case .beacons(let pattern, var tracker) = state.watched[index].tracker, tracker.expire(now: now)
                else { continue }
                state.watched[index].tracker = .beacons(pattern, tracker)
                state.add(Report(state: .outside, timestamp: date), of: state.watched[index])
            }
        }
        deliverReports()
        setTimer()
    }

    func updateBeaconTrackers(_ body: (inout BeaconTracker) -> Void) {
        state.withLock { state in
            for index in state.watched.indices {
                guard case .beacons(let pattern, var tracker) = state.watched[index].tracker else { continue }
                body(&tracker)
                state.watched[index].tracker = .beacons(pattern, tracker)
            }
        }
    }

    private func date(of time: BootTime) -> Double {
        clock.wallTime.advanced(bySeconds: time.seconds(since: clock.now)).sinceReferenceDate
    }
}
