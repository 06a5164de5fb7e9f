// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CLLocationManagerDelegate {
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {}

    /// Calls `locationManager(_:didUpdateTo:from:)` for each location.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        var preceding = manager.precedingLocation
        for location in locations {
            self.locationManager(manager, didUpdateTo: location, from: preceding ?? location)
            preceding = location
        }
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}

    /// Returns false.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }

    /// Calls `locationManager(_:didChangeAuthorization:)`.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        self.locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}

    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}
}
