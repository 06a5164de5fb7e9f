// SPDX-License-Identifier: Apache-2.0

/// The authorization of an app to use location services.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The user or the configuration has not decided yet.
    case notDetermined = 0

    /// The app may not use location services, and the user cannot change this.
    case restricted = 1

    /// The use of location services was denied, or location services are disabled on this machine.
    case denied = 2

    /// The app may use location services at any time.
    case authorizedAlways = 3

    /// The app may use location services while it is in use.
    case authorizedWhenInUse = 4

    /// The name of ``authorizedAlways`` on macOS.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// The accuracy of the locations that an app may receive.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// The full accuracy of the sources.
    case fullAccuracy = 0

    /// Reduced accuracy, with infrequent updates.
    case reducedAccuracy = 1
}
