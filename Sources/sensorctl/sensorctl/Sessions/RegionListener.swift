// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// Prints a location manager's region events or visits. Must be used on the main thread.
final class RegionListener: NSObject, CLLocationManagerDelegate, StreamListener {
    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let regions: [NamedRegion]
    private let watchesVisits: Bool

    /// - Parameter regions: The regions to monitor, or an empty array if only visits are monitored.
    init(_ regions: [NamedRegion], watchesVisits: Bool, outlet: ReadingOutlet) {
        (self.regions, self.watchesVisits, self.outlet) = (regions, watchesVisits, outlet)
        super.init()
        manager.delegate = self
    }

    func start() {
        manager.requestWhenInUseAuthorization()
        if watchesVisits { return manager.startMonitoringVisits() }
        let wanted = regions.map(\.circle)
        // Keeps identical regions from a previous run that was killed. Monitoring them again would repeat events.
        let monitored = manager.monitoredRegions.compactMap { $0 as? CLCircularRegion }
        for region in monitored where !wanted.contains(where: { $0.isSame(as: region) }) {
            manager.stopMonitoring(for: region)
        }
        for region in wanted where !monitored.contains(where: { $0.isSame(as: region) }) {
            manager.startMonitoring(for: region)
        }
    }

    func end() {
        manager.stopMonitoringVisits()
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        print(.didDetermineState, state, region)
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        print(.didEnterRegion, .inside, region)
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        print(.didExitRegion, .outside, region)
    }

    private func print(_ callback: RegionReading.Callback, _ state: CLRegionState, _ region: CLRegion) {
        outlet.print(RegionReading(callback: callback, region: region.identifier, state: state, date: region.stateDate))
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        outlet.printUncounted(RegionFailure(region: region?.identifier ?? "", reason: error.reason))
        if (error as? CLError)?.code == .regionMonitoringDenied { outlet.stopUnauthorized() }
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        outlet.print(VisitReading(visit: visit))
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if (error as? CLError)?.code == .denied { outlet.stopUnauthorized() }
    }
}

extension CLCircularRegion {
    fileprivate func isSame(as other: CLCircularRegion) -> Bool {
        identifier == other.identifier && radius == other.radius && center.latitude == other.center.latitude
            && center.longitude == other.center.longitude
    }
}

final class BeaconListener: NSObject, CLLocationManagerDelegate, StreamListener {
    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let constraints: [CLBeaconIdentityConstraint]
    private let clock: any DeviceClock

    init(_ constraints: [CLBeaconIdentityConstraint], clock: any DeviceClock, outlet: ReadingOutlet) {
        (self.constraints, self.clock, self.outlet) = (constraints, clock, outlet)
        super.init()
        manager.delegate = self
    }

    func start() {
        manager.requestWhenInUseAuthorization()
        for constraint in constraints { manager.startRangingBeacons(satisfying: constraint) }
    }

    func end() {
        for constraint in constraints { manager.stopRangingBeacons(satisfying: constraint) }
        manager.delegate = nil
    }

    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        outlet.print(BeaconsReading(beacons: beacons, time: clock.wallTime))
    }

    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {
        // All constraints use the same radio, so an error affects all of them and is printed only once.
        if beaconConstraint == constraints.first {
            outlet.printUncounted(BeaconFailure(error: error, time: clock.wallTime))
        }
        if (error as? CLError)?.code == .denied { outlet.stopUnauthorized() }
    }
}
