// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms the requirements are optional, so wrappers and test doubles of a manager write
// `delegate?.locationManager?(manager, didUpdateLocations: locations)`. Swift without Objective-C has no optional
// requirements. These properties have the base names of the requirements and optional values that can be called in
// the same forms; they are never nil. A `locationManager` property of a class's own goes before them.
extension CLLocationManagerDelegate {
    /// The requirements named `locationManager` for a call with a question mark.
    public var locationManager: CLLocationManagerDelegateCalls? { CLLocationManagerDelegateCalls(delegate: self) }

    /// `locationManagerShouldDisplayHeadingCalibration(_:)` for a call with a question mark.
    public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
        { manager in self.locationManagerShouldDisplayHeadingCalibration(manager) }
    }

    /// `locationManagerDidChangeAuthorization(_:)` for a call with a question mark.
    public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidChangeAuthorization(manager) }
    }

    /// `locationManagerDidPauseLocationUpdates(_:)` for a call with a question mark.
    public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidPauseLocationUpdates(manager) }
    }

    /// `locationManagerDidResumeLocationUpdates(_:)` for a call with a question mark.
    public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
        { manager in self.locationManagerDidResumeLocationUpdates(manager) }
    }
}
