// SPDX-License-Identifier: Apache-2.0

/// Whether the program may use location services.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// Nobody has decided yet.
    case notDetermined = 0

    /// The program may not use location services, and its user cannot change that.
    case restricted = 1

    /// The use of location services was refused, or they are switched off on this machine.
    case denied = 2

    /// The program may use location services at any time.
    case authorizedAlways = 3

    /// The program may use location services while it is in use.
    case authorizedWhenInUse = 4

    /// The name of ``authorizedAlways`` on macOS.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// How exactly the program may know where it is.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As exactly as the sources tell.
    case fullAccuracy = 0

    /// Only roughly, and seldom.
    case reducedAccuracy = 1
}
