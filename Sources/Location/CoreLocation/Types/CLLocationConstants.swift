// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An angle in degrees on WGS 84: a latitude (north positive) or a longitude (east positive).
public typealias CLLocationDegrees = Double

/// A length in metres.
public typealias CLLocationDistance = Double

/// A radius of uncertainty in metres. It is negative if the corresponding value is invalid.
public typealias CLLocationAccuracy = Double

/// A speed in metres per second. Negative if the speed is invalid.
public typealias CLLocationSpeed = Double

/// The uncertainty of a speed in metres per second. It is negative if the speed is invalid.
public typealias CLLocationSpeedAccuracy = Double

/// A direction in degrees clockwise from north, in the range 0 ..< 360. Negative if the direction is invalid.
public typealias CLLocationDirection = Double

/// The uncertainty of a direction in degrees. It is negative if the direction is invalid.
public typealias CLLocationDirectionAccuracy = Double

/// A component of the geomagnetic field in microtesla.
public typealias CLHeadingComponentValue = Double

/// The major value of a beacon, which identifies a group of beacons.
public typealias CLBeaconMajorValue = UInt16

/// The minor value of a beacon, which identifies the beacon within its group.
public typealias CLBeaconMinorValue = UInt16

/// The distance filter value that delivers every location.
public let kCLDistanceFilterNone: CLLocationDistance = -1

/// The heading filter value that delivers every heading.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// The highest available accuracy for navigation, aided by additional sensors. The value is a sentinel, not a length.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2

/// The highest available accuracy. The value is a sentinel, not a length.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1

/// An accuracy of about ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10

/// An accuracy of about a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

/// An accuracy of about one kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000

/// An accuracy of about three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000

/// Reduced accuracy. The value is a sentinel, not a length.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// The largest possible distance. Use it to specify no limit.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

/// The longest possible time interval. Use it to specify no limit.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// The user's activity, set by the app as a hint for saving power.
public enum CLActivityType: Int, Sendable {
    /// An unknown activity.
    case other = 1

    /// Driving along a route.
    case automotiveNavigation = 2

    /// Walking, running, cycling and similar activities.
    case fitness = 3

    /// Travelling in another vehicle, such as a boat, train or aeroplane.
    case otherNavigation = 4

    /// Flying.
    case airborne = 5
}

/// An app's authorization to use location services.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// Neither the user nor the configuration has decided yet.
    case notDetermined = 0

    /// The app is not allowed to use location services, and the user cannot change this.
    case restricted = 1

    /// Access to location services was denied, or location services are disabled on this machine.
    case denied = 2

    /// The app may use location services at any time.
    case authorizedAlways = 3

    /// The app may use location services while it is in use.
    case authorizedWhenInUse = 4

    /// The macOS name of ``authorizedAlways``.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// The accuracy of the locations that an app may receive.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// Full accuracy.
    case fullAccuracy = 0

    /// Reduced accuracy, with infrequent updates.
    case reducedAccuracy = 1
}
