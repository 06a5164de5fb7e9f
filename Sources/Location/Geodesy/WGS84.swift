// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The WGS-84 ellipsoid: the shape that GPS positions refer to.
///
/// Lengths are in metres. The two defining constants are the semi-major axis and the flattening (NIMA TR8350.2,
/// third edition, table 3.1); everything else follows from them.
public enum WGS84 {
    /// The equatorial radius `a`, in metres.
    public static var semiMajorAxis: Double { 6_378_137 }

    /// The flattening `f = (a - b) / a`.
    public static var flattening: Double { 1 / 298.257223563 }

    /// The polar radius `b = a (1 - f)`, in metres.
    public static var semiMinorAxis: Double { semiMajorAxis * (1 - flattening) }

    /// The first eccentricity squared, `e² = f (2 - f)`.
    public static var eccentricitySquared: Double { flattening * (2 - flattening) }

    /// The second eccentricity squared, `e'² = e² / (1 - e²)`.
    public static var secondEccentricitySquared: Double { eccentricitySquared / (1 - eccentricitySquared) }

    /// The third flattening `n = (a - b) / (a + b)`.
    public static var thirdFlattening: Double { flattening / (2 - flattening) }
}
