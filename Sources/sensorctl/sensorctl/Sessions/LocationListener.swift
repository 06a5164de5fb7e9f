// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore

/// A manager and its delegate: hands every callback to an outlet.
final class LocationListener: NSObject, CLLocationManagerDelegate, StreamListener {
    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let clock: any DeviceClock

    /// - Parameter clock: what time it is, for callbacks that carry none.
    init(clock: any DeviceClock, everyReport: Bool = false, receiver: String? = nil, outlet: ReadingOutlet) {
        self.clock = clock
        self.outlet = outlet
        super.init()
        manager.deliversEveryReport = everyReport
        manager.receiver = receiver
        manager.delegate = self
    }

    func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let wanted = outlet.take(locations.count)
        if wanted > 0 { outlet.print(counted: LocationsReading(locations: Array(locations.prefix(wanted)))) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        outlet.tell(LocationFailure(error: error, time: clock.wallTime))
        if (error as? CLError)?.code == .denied { outlet.deny() }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        outlet.tell(
            AuthorizationReading(
                status: manager.authorizationStatus, accuracy: manager.accuracyAuthorization, time: clock.wallTime))
    }
}
