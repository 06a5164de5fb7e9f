// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import ExternalAccessory
import Unrelated

let manager = CLLocationManager()
// A degree of the equator: 6378.137 km * pi / 180.
let degree = CLLocation(latitude: 0, longitude: 0).distance(from: CLLocation(latitude: 0, longitude: 1))
print(describe())
print("linked: \(Int(degree / 1000)) km, \(manager.authorizationStatus.rawValue)")
print("motion: \(CMMotionManager().accelerometerUpdateInterval) s")
print("accessories: \(EAAccessoryManager.shared() === EAAccessoryManager.shared())")
