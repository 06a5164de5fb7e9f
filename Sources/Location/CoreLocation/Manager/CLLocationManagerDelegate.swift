// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The methods that receive events from a ``CLLocationManager``.
///
/// All methods have a default implementation. By default, `locationManager(_:didUpdateLocations:)` and
/// `locationManagerDidChangeAuthorization(_:)` call the older methods that they replace, and all other methods do
/// nothing. ``CLLocationManager`` describes the context in which the methods are called.
///
/// On Linux, a method in a subclass of your delegate class is called only if the delegate class implements the same
/// method. If necessary, add an empty implementation to the delegate class.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// Called with a new location and the previous one. For the first location, both arguments are the same. The method
    /// is not called if `locationManager(_:didUpdateLocations:)` is implemented.
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    )

    /// Called with one or more new locations, in order of arrival.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// Called with a new heading.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

    /// Called when no location or heading is available. The manager keeps trying unless authorization was denied.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

    /// Called when headings become invalid, at most once per minute. On Apple's platforms, returning true displays the
    /// heading calibration alert. On Linux, the result is ignored, but the app may use the call to ask the user to
    /// rotate the device.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool

    /// Called after the delegate is first set, and whenever the authorization changes. Read the new values from the
    /// manager.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// Called after the delegate is first set, and whenever the authorization changes. The method is not called if
    /// `locationManagerDidChangeAuthorization(_:)` is implemented.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    /// Called when the state of a region is first determined, before each entry and exit, and in response to
    /// `requestState(for:)`.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)

    /// Called when the device has entered a region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

    /// Called when the device has left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

    /// Called when monitoring starts for a region.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

    /// Called when a region cannot be monitored.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    )

    /// Called when the device has arrived at or left a place. `departureDate` distinguishes the two cases.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

    /// Called when location updates pause because the device is stationary.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

    /// Called when location updates resume.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

    /// Called when location updates are no longer deferred. The error is nil if no error occurred.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)

    /// Called once per second with the beacons that satisfy a constraint. The nearest beacon is first, and beacons at
    /// an unknown distance are last. The array is empty if no beacons are received.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    )

    /// Called once for each failure to range beacons. The manager keeps trying unless authorization was denied. The
    /// underlying error of `CLError.rangingUnavailable` contains the reason and a remedy.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    )

    /// Called once per second with the beacons of a region that was passed to `startRangingBeacons(in:)`.
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)

    /// Called when the beacons of a region that was passed to `startRangingBeacons(in:)` cannot be ranged.
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    )
}

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
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}

    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {}

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {}
}
