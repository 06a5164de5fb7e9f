// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The WGS-84 ellipsoid: the shape that GPS positions refer to.
///
/// Lengths are in metres. The two defining constants are the semi-major axis and the flattening (NIMA TR8350.2,
/// third edition, table 3.1); everything else follows from them.
package enum WGS84 {
    /// The equatorial radius `a`, in metres.
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
