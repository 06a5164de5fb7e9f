// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms, wrappers and test doubles of a manager call optional delegate methods as
// `delegate?.locationManager?(manager, didUpdateLocations: locations)`. Without Objective-C, Swift has no optional
// requirements, so such a call would not compile. The following properties make it compile. Each of them is named after
// a delegate method and has an optional type, but its value is never nil. If a conforming class declares its own
// `locationManager` property, that property takes precedence.
extension CLLocationManagerDelegate {
    /// The methods named `locationManager`, callable with optional chaining.
    public var locationManager: CLLocationManagerDelegateCalls? { CLLocationManagerDelegateCalls(delegate: self) }

    /// The `locationManagerShouldDisplayHeadingCalibration(_:)` method, callable with optional chaining.
    public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
        { manager in self.locationManagerShouldDisplayHeadingCalibration(manager) }
    }

    /// The `locationManagerDidChangeAuthorization(_:)` method, callable with optional chaining.
    public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidChangeAuthorization(manager) }
    }

    /// The `locationManagerDidPauseLocationUpdates(_:)` method, callable with optional chaining.
    public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidPauseLocationUpdates(manager) }
    }

    /// The `locationManagerDidResumeLocationUpdates(_:)` method, callable with optional chaining.
    public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidResumeLocationUpdates(manager) }
    }
}

/// A value that can be called like the delegate methods named `locationManager`. It forwards each call to the delegate.
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

    /// Calls `locationManager(_:didVisit:)`.
    public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        delegate.locationManager(manager, didVisit: visit)
    }

    /// Calls `locationManager(_:didFinishDeferredUpdatesWithError:)`.
    public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
    }

    /// Calls `locationManager(_:didRange:satisfying:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
    }

    /// Calls `locationManager(_:didFailRangingFor:error:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {
        delegate.locationManager(manager, didFailRangingFor: beaconConstraint, error: error)
    }

    /// Calls `locationManager(_:didRangeBeacons:in:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {
        delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
    }

    /// Calls `locationManager(_:rangingBeaconsDidFailFor:withError:)`.
    public func callAsFunction(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {
        delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
    }
}
