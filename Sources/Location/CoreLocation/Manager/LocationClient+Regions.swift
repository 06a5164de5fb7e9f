// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Connects the manager to its device's regions and visits, which are shared by all managers.
extension LocationClient {
    var regions: MonitoredRegions { MonitoredRegions.of(device) }

    var visits: VisitService { VisitService.of(device) }

    var purpose: String? { settings.purpose }

    func enqueue(_ event: RegionEvent) { updateState { $0.pendingCallbacks.add(.region(event)) } }

    func enqueue(_ visit: CLVisit) { updateState { if $0.monitorsVisits { $0.pendingCallbacks.add(.visit(visit)) } } }

    func enqueueFailure(_ error: CLError) { updateState { $0.pendingCallbacks.add(.failure(error)) } }

    func setMonitorsVisits(_ isWanted: Bool) {
        state.withLock { state in
            state.monitorsVisits = isWanted
            if !isWanted { state.pendingCallbacks.removeVisits() }
        }
        // Another thread may change the setting at the same time, so the loop repeats until the latest setting has been
        // applied.
        var isMonitored: Bool
        repeat {
            isMonitored = state.withLock { $0.monitorsVisits }
            if isMonitored { visits.start(for: self) } else { visits.stop(for: self) }
        } while state.withLock { $0.monitorsVisits } != isMonitored
    }
}

extension LocationClient {
    func deliver(_ delegate: any CLLocationManagerDelegate, to event: RegionEvent, from manager: CLLocationManager) {
        switch event {
        case .started(let region): delegate.locationManager(manager, didStartMonitoringFor: region)
        case .failed(let region, let error):
            delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
        case .determined(let region, let state):
            delegate.locationManager(manager, didDetermineState: state, for: region)
        case .changed(let change):
            // Checks again after each call, because the delegate may stop monitoring the region.
            guard regions.isCurrent(change.watch) else { return }
            delegate.locationManager(manager, didDetermineState: change.state, for: change.region)
            guard regions.isCurrent(change.watch) else { return }
            if change.isEntry { delegate.locationManager(manager, didEnterRegion: change.region) }
            if change.isExit { delegate.locationManager(manager, didExitRegion: change.region) }
            regions.recordDelivery(of: change)
        }
    }
}

extension LocationSettings {
    /// The time that the device must be stationary before updates pause, in seconds. nil if updates never pause.
    var pauseDelay: Double? {
        guard pausesAutomatically, isPausingSetByApp, desiredAccuracy != kCLLocationAccuracyBestForNavigation else {
            return nil
        }
        return switch activityType {
        case .fitness: 180
        case .other, .otherNavigation: 300
        case .automotiveNavigation: 600
        case .airborne: nil
        }
    }
}
