// SPDX-License-Identifier: Apache-2.0

// Imports a submodule, like programs translated from Objective-C. The import includes Foundation.

import CoreLocation.CLLocationManagerDelegate

final class PlainDelegate: NSObject, CLLocationManagerDelegate {
    var count = 0
    var last: Date?

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count += locations.count
        last = locations.last?.timestamp
    }
}
