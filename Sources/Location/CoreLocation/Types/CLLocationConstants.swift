// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
