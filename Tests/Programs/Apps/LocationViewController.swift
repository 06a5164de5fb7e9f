// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// The location program of a book of 2012, in Swift and without its views. It shows the location of the device,
/// survives failures, and continues when locations arrive again.
public class LocationViewController: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Starts location updates.
    public func viewDidLoad() {
        locationManager.delegate = self
        locationManager.startUpdatingLocation()
    }

    /// Shows the location.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        show(
            "Location: \(newLocation.coordinate.latitude), \(newLocation.coordinate.longitude)"
                + " within \(newLocation.horizontalAccuracy) m")
    }

    /// Shows that no location is available.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        show("Failed: \(error.localizedDescription)")
    }
}
