// SPDX-License-Identifier: Apache-2.0

/// A point on the WGS-84 ellipsoid.
public struct GeodeticCoordinate: Equatable, Sendable {
    /// The geodetic latitude in degrees, from -90 (south pole) to 90 (north pole).
    public var latitude: Double
    /// The longitude in degrees, positive east of Greenwich. Any finite value is valid and is reduced modulo 360.
    public var longitude: Double

    /// Creates a coordinate from degrees. The values are neither checked nor changed.
    public init(latitude: Double, longitude: Double) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// True if the latitude is within ±90 degrees and the longitude is finite.
    package var isValid: Bool { abs(latitude) <= 90 && longitude.isFinite }
}

/// The WGS-84 ellipsoid. Lengths are in metres. The semi-major axis and the flattening are the defining constants (NIMA
/// TR8350.2, third edition, table 3.1).
package enum WGS84 {
    package static var semiMajorAxis: Double { 6_378_137 }
    /// The flattening `f = (a - b) / a`.
    package static var flattening: Double { 1 / 298.257223563 }
    /// The polar radius `b = a (1 - f)`, in metres.
    package static var semiMinorAxis: Double { semiMajorAxis * (1 - flattening) }
    /// The first eccentricity squared, `e² = f (2 - f)`.
    package static var eccentricitySquared: Double { flattening * (2 - flattening) }
    /// The second eccentricity squared, `e'² = e² / (1 - e²)`.
    package static var secondEccentricitySquared: Double { eccentricitySquared / (1 - eccentricitySquared) }
    /// The third flattening `n = (a - b) / (a + b)`.
    package static var thirdFlattening: Double { flattening / (2 - flattening) }
}
