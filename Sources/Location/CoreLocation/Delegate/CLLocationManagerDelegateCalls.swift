// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The methods of a delegate whose base name is `locationManager`, for calls with a question mark:
/// `delegate?.locationManager?(manager, didUpdateLocations: locations)`.
public struct CLLocationManagerDelegateCalls {
    let delegate: any CLLocationManagerDelegate

    /// Calls `locationManager(_:didUpdateTo:from:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        delegate.locationManager(manager, didUpdateTo: newLocation, from: oldLocation)
    }

    /// Calls `locationManager(_:didUpdateLocations:)`.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        delegate.locationManager(manager, didUpdateLocations: locations)
    }

    /// Calls `locationManager(_:didUpdateHeading:)`.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        delegate.locationManager(manager, didUpdateHeading: newHeading)
    }

    /// Calls `locationManager(_:didFailWithError:)`.
    public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
        delegate.locationManager(manager, didFailWithError: error)
    }

    /// Calls `locationManager(_:didChangeAuthorization:)`.
    public func callAsFunction(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        delegate.locationManager(manager, didChangeAuthorization: status)
    }

    /// Calls `locationManager(_:didDetermineState:for:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        delegate.locationManager(manager, didDetermineState: state, for: region)
    }

    /// Calls `locationManager(_:didEnterRegion:)`.
    public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        delegate.locationManager(manager, didEnterRegion: region)
    }

    /// Calls `locationManager(_:didExitRegion:)`.
    public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        delegate.locationManager(manager, didExitRegion: region)
    }

    /// Calls `locationManager(_:didStartMonitoringFor:)`.
    public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        delegate.locationManager(manager, didStartMonitoringFor: region)
    }

    /// Calls `locationManager(_:monitoringDidFailFor:withError:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }

    /// Calls `locationManager(_:didFinishDeferredUpdatesWithError:)`.
    public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
    }
}
