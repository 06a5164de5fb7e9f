// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Listings 8-8 and 8-9 of the iPhone Application Programming Guide of 2010, in Swift: valid headings, in steps of five
/// degrees.
public class HeadingReader: NSObject, CLLocationManagerDelegate {
    var locManager: CLLocationManager?
    /// The number of remaining headings. The program stops at 0.
    public var rest = Int.max
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }
    /// Called after the last heading.
    public var end: () -> Void = { exit(0) }

    /// Listing 8-8. Without a compass, the course of the location updates is the direction of movement.
    public func startHeadingUpdates() {
        let manager = CLLocationManager()
        locManager = manager
        manager.delegate = self
        // Started first, so that the true heading is known.
        manager.startUpdatingLocation()
        if CLLocationManager.headingAvailable() {
            manager.headingFilter = 5
            manager.startUpdatingHeading()
        } else {
            show("no compass")
        }
    }

    /// Listing 8-9.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        // Only a valid heading is used.
        if newHeading.headingAccuracy > 0 {
            show(
                String(
                    format: "heading %.3f true %.3f accuracy %.3f", newHeading.magneticHeading, newHeading.trueHeading,
                    newHeading.headingAccuracy))
            rest -= 1
            if rest == 0 {
                manager.stopUpdatingHeading()
                show("stopped")
                end()
            }
        }
    }

    /// Shows the direction of movement instead of a heading.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        if let location = locations.last, location.course >= 0, manager.heading == nil {
            show(String(format: "course %.3f", location.course))
        }
    }
}
