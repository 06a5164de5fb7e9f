// SPDX-License-Identifier: Apache-2.0

// The smallest program that uses all three frameworks, for measuring size, memory and start time.

import CoreLocation
import CoreMotion
import ExternalAccessory

final class Minimal: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { print(location.coordinate.latitude, location.coordinate.longitude) }
    }
}

let minimal = Minimal()
let manager = CLLocationManager()
manager.delegate = minimal
manager.startUpdatingLocation()
let motion = CMMotionManager()
motion.startAccelerometerUpdates(to: .main) { _, _ in }
withExtendedLifetime(EAAccessoryManager.shared().connectedAccessories) {}
RunLoop.main.run()
