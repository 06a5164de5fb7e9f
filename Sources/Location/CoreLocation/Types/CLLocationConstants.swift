// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An angle in degrees on WGS 84: a latitude (north positive) or a longitude (east positive).
public typealias CLLocationDegrees = Double

/// A length in metres.
public typealias CLLocationDistance = Double

/// A radius of uncertainty in metres; negative when the value that it belongs to is invalid.
public typealias CLLocationAccuracy = Double

/// A speed in metres per second; negative when invalid.
public typealias CLLocationSpeed = Double

/// The uncertainty of a speed in metres per second; negative when the speed is invalid.
public typealias CLLocationSpeedAccuracy = Double

/// A direction in degrees clockwise from north, 0 ..< 360; negative when invalid.
public typealias CLLocationDirection = Double

/// The uncertainty of a direction in degrees; negative when the direction is invalid.
public typealias CLLocationDirectionAccuracy = Double

/// One component of the geomagnetic field in microtesla.
public typealias CLHeadingComponentValue = Double

/// The more significant number of a beacon, shared by a group of beacons.
public typealias CLBeaconMajorValue = UInt16

/// The less significant number of a beacon, within its group.
public typealias CLBeaconMinorValue = UInt16

/// The distance filter that lets every movement through.
public let kCLDistanceFilterNone: CLLocationDistance = -1

/// The heading filter that lets every change of heading through.
public let kCLHeadingFilterNone: CLLocationDegrees = -1

/// The highest accuracy there is, with help from other sensors. A sentinel, not a length.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2

/// The highest accuracy there is. A sentinel, not a length.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1

/// Accurate to about ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10

/// Accurate to about a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100

/// Accurate to about a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000

/// Accurate to about three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000

/// The accuracy of a program that may only know roughly where it is.
///
/// A very large number that serves as a label; it is not a usable threshold.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_380_000

/// The largest distance: an upper limit that never takes effect.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

/// The longest time: an upper limit that never takes effect.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// What the program's user is doing, as a hint for saving power.
public enum CLActivityType: Int, Sendable {
    /// Not known.
    case other = 1

    /// Driving, following a route.
    case automotiveNavigation = 2

    /// Walking, running, cycling and the like.
    case fitness = 3

    /// Moving in another vehicle: a boat, a train, an aeroplane.
    case otherNavigation = 4

    /// Flying.
    case airborne = 5
}
