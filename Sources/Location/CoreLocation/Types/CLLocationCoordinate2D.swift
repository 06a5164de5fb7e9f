// SPDX-License-Identifier: Apache-2.0

import Geodesy

/// A latitude and a longitude on WGS 84.
///
/// Both values are in degrees, with north and east positive. The values are not validated.
/// ``CLLocationCoordinate2DIsValid(_:)`` checks whether they denote a position on the Earth.
///
/// As on Apple's platforms, the type is not Equatable, Hashable or Codable, so apps can add these conformances.
public struct CLLocationCoordinate2D: Sendable {
    /// The latitude in degrees, north positive, in the range -90 ... 90 if valid.
    public var latitude: CLLocationDegrees

    /// The longitude in degrees, east positive, in the range -180 ... 180 if valid.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0° N, 0° E.
    public init() {
        latitude = 0
        longitude = 0
    }

    /// Creates a coordinate from degrees without validating them.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Creates a coordinate from degrees without validating them.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether a coordinate is valid: the latitude must be within -90 ... 90 and the longitude within -180 ... 180.
/// The poles and both longitudes of the antimeridian are valid. NaN is not valid.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// An invalid coordinate.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns the length, in metres, of the shortest path on the WGS 84 ellipsoid, or NaN if either coordinate is invalid.
func geodesicDistance(_ first: CLLocationCoordinate2D, _ second: CLLocationCoordinate2D) -> Double {
    Geodesic.distance(
        from: GeodeticCoordinate(latitude: first.latitude, longitude: first.longitude),
        to: GeodeticCoordinate(latitude: second.latitude, longitude: second.longitude))
}
