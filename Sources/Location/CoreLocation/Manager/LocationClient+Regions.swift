// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

// Regions and visits belong to the device; this manager receives their events.
extension LocationClient: RegionListener, VisitListener {
    var regions: MonitoredRegions { MonitoredRegions.of(device) }

    var visits: VisitService { VisitService.of(device) }

    var purpose: String? { settings.purpose }

    /// Adds the event to the pending callbacks.
    func tell(_ news: RegionNews) { change { $0.mailbox.add(.region(news)) } }

    func tell(_ visit: CLVisit) { change { if $0.watchesVisits { $0.mailbox.add(.visit(visit)) } } }

    func fail(_ error: CLError) { change { $0.mailbox.add(.failure(error)) } }

    func watchVisits(_ isWanted: Bool) {
        state.withLock { state in
            state.watchesVisits = isWanted
            if !isWanted { state.mailbox.removeVisits() }
        }
        // Two threads may start and stop visits at the same time; the loop applies the last request.
        var wanted: Bool
        repeat {
            wanted = state.withLock { $0.watchesVisits }
            if wanted { visits.start(for: self) } else { visits.stop(for: self) }
        } while state.withLock { $0.watchesVisits } != wanted
    }
}

extension LocationClient {
    func tell(_ delegate: any CLLocationManagerDelegate, _ news: RegionNews, _ manager: CLLocationManager) {
        switch news {
        case .started(let region): delegate.locationManager(manager, didStartMonitoringFor: region)
        case .failed(let region, let error):
            delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
        case .determined(let region, let state):
            delegate.locationManager(manager, didDetermineState: state, for: region)
        case .changed(let change):
            guard regions.isCurrent(change.watch) else { return }
            delegate.locationManager(manager, didDetermineState: change.state, for: change.region)
            guard regions.isCurrent(change.watch) else { return }
            if change.isEntry { delegate.locationManager(manager, didEnterRegion: change.region) }
            if change.isExit { delegate.locationManager(manager, didExitRegion: change.region) }
            regions.hasHeard(of: change)
        }
    }
}

extension LocationSettings {
    /// The time at rest after which updates pause, in seconds; nil if they never pause.
    var pausePatience: Double? {
        guard pausesAutomatically, hasChosenPausing, desiredAccuracy != kCLLocationAccuracyBestForNavigation else {
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
