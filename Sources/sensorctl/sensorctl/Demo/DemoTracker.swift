// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// The delegate behind the panel: an ordinary program of Core Location. Used on the main thread.
final class DemoTracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var state = DemoState()
    /// Called after each callback.
    var whenChanged: () -> Void = {}

    override init() {
        super.init()
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { state.add(location) }
        whenChanged()
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        state.lose(error.reason)
        whenChanged()
    }
}
