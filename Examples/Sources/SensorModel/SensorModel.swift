// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import Observation

/// The sensor data that an app's views show, in a model as taught in iOS courses.
@MainActor
@Observable
package final class SensorModel: NSObject {
    package private(set) var authorizationStatus: CLAuthorizationStatus
    package private(set) var location: CLLocation?
    /// The attitude in degrees.
    package private(set) var pitch = 0.0
    package private(set) var roll = 0.0
    package private(set) var yaw = 0.0
    /// The acceleration in g, without gravity.
    package private(set) var userAcceleration = CMAcceleration()
    package private(set) var locationError: String?
    package private(set) var motionError: String?

    private var isRunning = false
    private let locationManager = CLLocationManager()
    private let motionManager = CMMotionManager()

    package override init() {
        authorizationStatus = locationManager.authorizationStatus
        super.init()
        locationManager.delegate = self
        locationManager.desiredAccuracy = kCLLocationAccuracyBest
    }

    package func start() {
        isRunning = true
        if authorizationStatus == .notDetermined {
            locationManager.requestWhenInUseAuthorization()
        } else {
            locationManager.startUpdatingLocation()
        }
        guard motionManager.isDeviceMotionAvailable else {
            motionError = "Device motion is not available."
            return
        }
        motionManager.deviceMotionUpdateInterval = 1.0 / 50.0
        motionManager.startDeviceMotionUpdates(to: .main) { [weak self] motion, error in
            guard let self else { return }
            if let error {
                self.motionError = error.localizedDescription
            }
            guard let motion else { return }
            self.pitch = motion.attitude.pitch * 180 / .pi
            self.roll = motion.attitude.roll * 180 / .pi
            self.yaw = motion.attitude.yaw * 180 / .pi
            self.userAcceleration = motion.userAcceleration
        }
    }

    package func stop() {
        isRunning = false
        locationManager.stopUpdatingLocation()
        motionManager.stopDeviceMotionUpdates()
    }
}

extension SensorModel: @preconcurrency CLLocationManagerDelegate {
    package func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        authorizationStatus = manager.authorizationStatus
        switch authorizationStatus {
        case .authorizedWhenInUse, .authorizedAlways:
            // This function is also called before `start()` and after `stop()`.
            if isRunning { manager.startUpdatingLocation() }
        case .denied, .restricted:
            locationError = "The app may not know the location."
        default:
            break
        }
    }

    package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        location = locations.last
        locationError = nil
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        locationError = error.localizedDescription
    }
}
