// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// The conformance is isolated to the main actor.
@MainActor final class IsolatedDelegate: NSObject, @MainActor CLLocationManagerDelegate {
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

/// The form of Swift 6.0 and 6.1.
@MainActor final class PreconcurrencyDelegate: NSObject, @preconcurrency CLLocationManagerDelegate {
    var count = 0

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count += locations.count
    }
}

/// Enters the main actor explicitly.
@MainActor final class SteppingDelegate: NSObject, CLLocationManagerDelegate {
    var count = 0

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        MainActor.assumeIsolated { count += locations.count }
    }
}

/// Calls its delegate itself, like published test doubles.
final class MadeUpManager: CLLocationManager {
    func feed(_ location: CLLocation) {
        delegate?.locationManager?(self, didUpdateLocations: [location])
    }
}
