// SPDX-License-Identifier: Apache-2.0

import Geodesy

/// A latitude and a longitude on WGS 84.
///
/// Both are in degrees, north and east positive. Values are stored without validation;
/// ``CLLocationCoordinate2DIsValid(_:)`` returns whether the pair is a position on the Earth.
///
/// As on Apple's platforms, the type is not Equatable, Hashable or Codable, so that apps can add these conformances
/// with the semantics they need.
public struct CLLocationCoordinate2D: Sendable {
    /// The latitude in degrees, north positive; -90 ... 90 if valid.
    public var latitude: CLLocationDegrees

    /// The longitude in degrees, east positive; -180 ... 180 if valid.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0° N, 0° E.
    public init() {
        latitude = 0
        longitude = 0
    }

    /// Creates a coordinate from degrees, which are stored without validation.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Creates a coordinate from degrees, which are stored without validation.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Returns whether a coordinate is a position on the Earth. True if the latitude is in -90 ... 90 and the longitude in
/// -180 ... 180. The poles and both longitudes of the antimeridian are valid; NaN is not.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// A coordinate that is not a position on the Earth, for use as an invalid value.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns the length of the shortest path over the WGS 84 ellipsoid in metres; NaN if a coordinate is invalid.
func geodesicDistance(_ first: CLLocationCoordinate2D, _ second: CLLocationCoordinate2D) -> Double {
    Geodesic.distance(
        from: GeodeticCoordinate(latitude: first.latitude, longitude: first.longitude),
        to: GeodeticCoordinate(latitude: second.latitude, longitude: second.longitude))
}
