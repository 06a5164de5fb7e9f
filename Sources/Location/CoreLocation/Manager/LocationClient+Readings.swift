// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// Position events arrive on the source's thread. Processing them only adds callbacks; `onBatchComplete` schedules the
// drain.
extension LocationClient {
    func receive(_ event: PositionEvent) {
        state.withLock { state in
            guard !state.services.isEmpty else { return }
            let hadRequest = state.services.contains(.singleRequest)
            switch event {
            case .report(let report) where report.hasFix: process(report, &state, services: state.services)
            case .report(let report): if !state.isLost { state.reportLoss(.noFix(report.receiver)) }
            case .sky(let sky): state.converter.sky = sky
            case .lost(let error):
                state.converter.sky = nil
                // Loss of the source is reported even if loss of the fix has already been reported.
                if !state.isSourceLost { state.reportLoss(error) }
                state.isSourceLost = true
            case .regained: state.isSourceLost = false
            case .attitude(let report): compassRecord.record(report)
            case .receivers, .line: break
            }
            // The source may deliver this event while it is adding the subscription, so the subscription cannot be
            // updated here. The next drain updates it.
            if hadRequest, !state.services.contains(.singleRequest) { state.isSubscriptionOutdated = true }
        }
    }

    /// Applies the services' filters to a report with a fix, and enqueues the location if a filter accepts it.
    func process(_ report: PositionReport, _ state: inout State, services: Services) {
        // Authorization may be revoked while a report is being delivered.
        guard let accuracy = authorization.grantedAccuracy else { return }
        state.isLost = false
        state.isSourceLost = false
        state.lastLoss = nil
        state.lastArrival = report.arrival
        var (values, details) = state.converter.values(of: report, on: device)
        if accuracy == .reducedAccuracy {
            guard let reducedValues = state.converter.reducedAccuracy.reduce(values, now: report.arrival) else {
                return
            }
            (values, details) = (reducedValues, nil)
        }
        let location = CLLocation(values, details: details)
        state.headings.declination.position = .init(values, report: report, clock: device.clock)
        let coordinate = CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude)
        var passesFilter = false
        var isPausing = false
        if services.contains(.standard) {
            let change = state.pauseDetector.accept(
                values, now: report.arrival, pauseDelay: state.settings.pauseDelay)
            if change == false { state.pendingCallbacks.add(.pause(isPaused: false)) }
            if !state.pauseDetector.isPaused || change == true {
                passesFilter = state.distanceFilter.accept(
                    coordinate, accuracy: values.horizontalAccuracy, filter: state.settings.distanceFilter)
            }
            isPausing = change == true
        }
        if services.contains(.significantChanges), state.significantFilter.accept(coordinate, now: report.arrival) {
            passesFilter = true
        }
        if services.contains(.singleRequest), var request = state.request {
            // A location with reduced accuracy is accepted immediately, because waiting would not improve it.
            let desired = accuracy == .reducedAccuracy ? .infinity : state.settings.desiredAccuracy
            if request.accept(location, desiredAccuracy: desired) {
                passesFilter = true
                state.cancelRequest()
            } else {
                state.request = request
            }
        }
        if passesFilter { state.pendingCallbacks.add(location) }
        if isPausing { state.pendingCallbacks.add(.pause(isPaused: true)) }
    }
}

extension DeviceError {
    fileprivate static func noFix(_ receiver: String) -> DeviceError {
        DeviceError(
            .noFix,
            "The receiver\(receiver.isEmpty ? "" : " \(receiver)") has no fix. It needs a clear view of the sky and, after a cold start, a few minutes."
        )
    }
}
