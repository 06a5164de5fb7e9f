// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a program does with the events of its ``CLLocationManager``.
///
/// Implement what you need. The two newer requirements call their older forms by default; all others do nothing. Events
/// arrive where the manager delivers them (see there), never inside a call that starts a service.
///
/// On Linux a conforming class decides once, for its subclasses too, which methods are called: a method that only a
/// subclass adds is not found. Give the superclass an empty one, and override that.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    /// A new location, and the one before it. The first location comes with itself as the one before.
    ///
    /// Called only when `locationManager(_:didUpdateLocations:)` is not implemented.
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    )

    /// New locations, oldest first; at least one.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])

    /// A new heading.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)

    /// A location or heading could not be obtained. The manager keeps trying unless the use of it was denied.
    ///
    /// `CLError.headingFailure` is about headings.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)

    /// Asks whether a calibration of the compass may be shown, because headings are not to be trusted now.
    ///
    /// Asked once when headings begin to be invalid, and not again within a minute. Linux has nothing to show, so the
    /// answer has no effect; a program may take the question as a hint to tell its user to turn the device about.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool

    /// The authorization is known, or has changed; the manager tells what it is.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)

    /// The authorization is known, or has changed.
    ///
    /// Called only when `locationManagerDidChangeAuthorization(_:)` is not implemented.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    /// Answers a request for the state of a region, and precedes each entry and exit.
    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    )

    /// The device has entered a region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)

    /// The device has left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)

    /// The monitoring of a region has started.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)

    /// A region cannot be monitored.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    )

    /// The device has arrived at a place, or has left it; `departureDate` tells which.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

    /// Location updates were paused because the device rests.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)

    /// Location updates were resumed.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

    /// Location updates are not deferred any more; nil is no error.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)

    /// The beacons that satisfy a constraint, once a second: the nearest first, those of unknown distance last. Empty when
    /// none is heard.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    )

    /// Beacons cannot be ranged now. Told once for each loss; the manager keeps trying unless the use of it was denied.
    ///
    /// `CLError.rangingUnavailable` names the reason and the remedy in its underlying error.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    )

    /// The former form, for what `startRangingBeacons(in:)` has started.
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)

    /// The former form, for what `startRangingBeacons(in:)` has started.
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
