// SPDX-License-Identifier: Apache-2.0

import Geodesy

/// A latitude and a longitude on WGS 84.
///
/// Both are in degrees, north and east positive. Any value can be stored: nothing is checked or clamped;
/// ``CLLocationCoordinate2DIsValid(_:)`` tells whether the pair is a place on Earth.
///
/// As on Apple's platforms the type is neither Equatable nor Hashable nor Codable, so that programs can add these
/// conformances with the meaning that they need.
public struct CLLocationCoordinate2D: Sendable {
    /// The latitude in degrees, north positive, -90 ... 90 when valid.
    public var latitude: CLLocationDegrees

    /// The longitude in degrees, east positive, -180 ... 180 when valid.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0° N, 0° E.
    public init() {
        latitude = 0
        longitude = 0
    }

    /// Creates a coordinate from degrees, which are stored as they are given.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Creates a coordinate from degrees, which are stored as they are given.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Whether a coordinate is a place on Earth.
///
/// True when the latitude lies in -90 ... 90 and the longitude in -180 ... 180. The poles and the two names of the
/// date line are valid; NaN is not.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// A coordinate that is no place on Earth, for use where there is none.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// The length in metres of the shortest way over the WGS 84 ellipsoid; NaN when a coordinate is not valid.
func geodesicDistance(_ first: CLLocationCoordinate2D, _ second: CLLocationCoordinate2D) -> Double {
    Geodesic.distance(
        from: GeodeticCoordinate(latitude: first.latitude, longitude: first.longitude),
        to: GeodeticCoordinate(latitude: second.latitude, longitude: second.longitude))
}
