// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
