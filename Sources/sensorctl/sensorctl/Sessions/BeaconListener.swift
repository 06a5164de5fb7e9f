// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

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
        // All constraints share one radio, so its error is reported only once.
        if beaconConstraint == constraints.first {
            outlet.printUncounted(BeaconFailure(error: error, time: clock.wallTime))
        }
        if (error as? CLError)?.code == .denied { outlet.stopUnauthorized() }
    }
}
