// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A class isolated as a whole, which Swift 5 mode allows.
@MainActor final class WholeDelegate: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    var count = 0

    override init() {
        super.init()
        locationManager.delegate = self
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count += locations.count
    }
}

/// Calls its delegate itself, like published test doubles.
final class MadeUpManager: CLLocationManager {
    func feed(_ location: CLLocation) {
        delegate?.locationManager?(self, didUpdateLocations: [location])
    }
}
