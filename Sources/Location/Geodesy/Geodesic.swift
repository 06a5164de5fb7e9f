// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Shortest paths (geodesics) on the WGS-84 ellipsoid.
///
/// The inverse problem (two points given) and the direct problem (start, direction and length given) are solved by the
/// method of C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43-55 (2013), doi:10.1007/s00190-012-0578-z,
/// with series of sixth order in the flattening. The inverse solution converges for every pair of points, including
/// antipodal ones. Only rounding causes errors: about 15 nanometres.
///
/// The height of all points is zero. Every function is pure, allocates no memory, ends after a bounded number of steps
/// for any input, and may be called from any thread.
///
/// ```swift
/// let paris = GeodeticCoordinate(latitude: 48.8566, longitude: 2.3522)
/// let tokyo = GeodeticCoordinate(latitude: 35.6762, longitude: 139.6503)
/// let path = Geodesic.inverse(from: paris, to: tokyo)
/// print(path.distance, path.initialAzimuth)
/// ```
package enum Geodesic {}

extension Geodesic {
    /// Returns the length of the shortest path between two points, in metres. This function is faster than
    /// ``inverse(from:to:)`` if only the length is needed: it requires no iteration for points less than 20 km apart.
    /// The error is below 100 nanometres for any pair of points. The result is bitwise identical if the points are
    /// exchanged. It is NaN if a point is not valid (see ``GeodeticCoordinate/isValid``).
    package static func distance(from start: GeodeticCoordinate, to end: GeodeticCoordinate) -> Double {
        guard start.isValid, end.isValid else { return .nan }
        // The order of the points is the same for both directions, so that rounding is the same.
        let isOrdered =
            start.latitude < end.latitude || (start.latitude == end.latitude && start.longitude <= end.longitude)
        let first = isOrdered ? start : end
        let second = isOrdered ? end : start
        return localDistance(from: first, to: second) ?? inverse(from: first, to: second).distance
    }

    /// Returns the length of a short path, computed from the straight line through the earth; nil if the path is not
    /// short.
    ///
    /// The length of the line follows exactly from the coordinates. It is computed from differences of them, so that
    /// there is no cancellation for close points, at any latitude. A path of curvature κ is longer than its chord c by
    /// c (κc)² / 24 + 3 c (κc)⁴ / 640, the first terms of the inverse sine of κc / 2; κ is the curvature of the normal
    /// section in the middle (Euler's formula). For 20 km the correction is 8 mm, so that κ is needed to five digits
    /// only.
    static func localDistance(from start: GeodeticCoordinate, to end: GeodeticCoordinate) -> Double? {
        let northward = end.latitude - start.latitude
        guard abs(northward) < 0.25 else { return nil }
        let eastward = DegreeArithmetic.difference(from: start.longitude, to: end.longitude).rounded

        let middle = SineCosine(degrees: (start.latitude + end.latitude) / 2)
        // The sine and cosine of half the difference, which is at most 0.0022 radians.
        let half = northward * (.pi / 360)
        let square = half * half
        let halfSine = half * (1 - square * (1 / 6 - square / 120))
        let halfCosine = 1 - square * (1 / 2 - square / 24)

        let a = WGS84.semiMajorAxis
        let e2 = WGS84.eccentricitySquared
        let sineSum = middle.sine * halfCosine
        let cosineSum = middle.cosine * halfCosine
        let sineStep = middle.cosine * halfSine
        let cosineStep = -middle.sine * halfSine
        let sine1 = sineSum - sineStep
        let sine2 = sineSum + sineStep
        let cosine1 = cosineSum - cosineStep
        let cosine2 = cosineSum + cosineStep
        let w1 = (1 - e2 * sine1 * sine1).squareRoot()
        let w2 = (1 - e2 * sine2 * sine2).squareRoot()

        // The differences of the distance from the axis and of the height above the equatorial plane.
        let product = w1 * w2
        let change = 4 * e2 * sineStep * sineSum / (w1 + w2)
        let outward = a * (2 * cosineStep * w1 + cosine1 * change) / product
        let upward = a * (1 - e2) * (2 * sineStep * w1 + sine1 * change) / product
        let eastSine = sin(eastward * (.pi / 360))
        let meridional = outward * outward + upward * upward
        let parallel = 4 * a * a * cosine1 * cosine2 / product * eastSine * eastSine
        let chordSquare = meridional + parallel
        guard chordSquare <= 4e8 else { return nil }
        guard chordSquare > 0 else { return 0 }

        let chord = chordSquare.squareRoot()
        let w = product.squareRoot()
        let bend = (meridional * product / (1 - e2) + parallel) * w / (a * chord)
        let bendSquare = bend * bend
        return chord * (1 + bendSquare * (1 / 24 + bendSquare * (3 / 640)))
    }
}
