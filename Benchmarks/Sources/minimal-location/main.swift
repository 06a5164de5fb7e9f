// SPDX-License-Identifier: Apache-2.0

// The smallest program that uses Core Location, for measuring size, memory and wake-ups.

import CoreLocation

final class Minimal: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { print(location.coordinate.latitude, location.coordinate.longitude) }
    }
}

let minimal = Minimal()
let manager = CLLocationManager()
manager.delegate = minimal
manager.startUpdatingLocation()
RunLoop.main.run()
