// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A point on the WGS-84 ellipsoid, given by its geodetic latitude and its longitude.
///
/// Both are in degrees, north and east positive. Any pair of numbers can be stored; whether it names a point is
/// told by ``isValid``.
public struct GeodeticCoordinate: Equatable, Sendable {
    /// The geodetic latitude in degrees, from -90 (south pole) to 90 (north pole).
    public var latitude: Double

    /// The longitude in degrees east of Greenwich; any finite value, taken modulo 360.
    public var longitude: Double

    /// Creates a coordinate from degrees; nothing is checked or changed.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether the latitude lies within ±90 degrees and the longitude is finite.
    ///
    /// A longitude beyond ±180 degrees is valid and means the same meridian as its remainder modulo 360.
    public var isValid: Bool {
        abs(latitude) <= 90 && longitude.isFinite
    }
}
