// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Listing 8-7 of the iPhone Application Programming Guide of 2010, in Swift: one recent location, coarse, then stop.
public class LocationFinder: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    /// Shows the location; a test may look at it instead.
    public var show: (String) -> Void = { text in
        print(text)
        exit(0)
    }

    /// Starts to look for the device.
    public func startUpdates() {
        locationManager.delegate = self
        locationManager.desiredAccuracy = kCLLocationAccuracyKilometer
        // The movement that matters.
        locationManager.distanceFilter = 500
        locationManager.startUpdatingLocation()
    }

    /// Shows the first recent location and stops.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        // An event may come from what was known before; only a recent one counts.
        let howRecent = newLocation.timestamp.timeIntervalSinceNow
        if abs(howRecent) < 5.0 {
            manager.stopUpdatingLocation()
            show(
                String(
                    format: "latitude %+.6f, longitude %+.6f", newLocation.coordinate.latitude,
                    newLocation.coordinate.longitude))
        }
        // Otherwise the next event is waited for.
    }
}
