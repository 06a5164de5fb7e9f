// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Listing 8-7 of the iPhone Application Programming Guide of 2010, in Swift: gets one recent, coarse location and
/// stops.
public class LocationFinder: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    /// Prints the location and exits. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        exit(0)
    }

    /// Starts location updates.
    public func startUpdates() {
        locationManager.delegate = self
        locationManager.desiredAccuracy = kCLLocationAccuracyKilometer
        // The relevant movement, in meters.
        locationManager.distanceFilter = 500
        locationManager.startUpdatingLocation()
    }

    /// Shows the first recent location and stops.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        // The first location may be a cached one. Only a recent location is used.
        let howRecent = newLocation.timestamp.timeIntervalSinceNow
        if abs(howRecent) < 5.0 {
            manager.stopUpdatingLocation()
            show(
                String(
                    format: "latitude %+.6f, longitude %+.6f", newLocation.coordinate.latitude,
                    newLocation.coordinate.longitude))
        }
        // Otherwise waits for the next event.
    }
}
