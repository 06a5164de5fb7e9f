// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// The location program of a book of 2012, in Swift and without its views: it shows where the device is, survives
/// failures, and goes on when locations come again.
public class LocationViewController: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    /// Shows a line; a test may look at it instead.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Starts to follow the device.
    public func viewDidLoad() {
        locationManager.delegate = self
        locationManager.startUpdatingLocation()
    }

    /// Shows where the device is.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        show(
            "Location: \(newLocation.coordinate.latitude), \(newLocation.coordinate.longitude)"
                + " within \(newLocation.horizontalAccuracy) m")
    }

    /// Shows that there is no location for now.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        show("Failed: \(error.localizedDescription)")
    }
}
