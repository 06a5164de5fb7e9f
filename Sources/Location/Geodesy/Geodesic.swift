// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Shortest paths (geodesics) on the WGS-84 ellipsoid.
///
/// Solves the inverse problem (two points given) and the direct problem (start, direction and length given) by the
/// method of C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43-55 (2013), doi:10.1007/s00190-012-0578-z,
/// with series to sixth order in the flattening. The inverse solution converges for every pair of points, including
/// antipodal points. Rounding causes errors of about 15 nanometres.
///
/// All points have a height of zero. Every function is pure, allocates no memory, terminates after a bounded number of
/// steps, and may be called from any thread.
package enum Geodesic {}

extension Geodesic {
    /// Returns the length, in metres, of the shortest path between two points, or NaN if either point is not valid.
    /// This function is faster than ``inverse(from:to:)`` because it requires no iteration for points less than 20 km
    /// apart. The error is below 100 nanometres. Swapping the points gives a bitwise identical result.
    package static func distance(from start: GeodeticCoordinate, to end: GeodeticCoordinate) -> Double {
        guard start.isValid, end.isValid else { return .nan }
        // Orders the points so that swapping them gives exactly the same result.
        let isOrdered =
            start.latitude < end.latitude || (start.latitude == end.latitude && start.longitude <= end.longitude)
        let first = isOrdered ? start : end
        let second = isOrdered ? end : start
        return localDistance(from: first, to: second) ?? inverse(from: first, to: second).distance
    }

    /// Returns the length of a path of up to 20 km, or nil for a longer path.
    ///
    /// The chord c, a straight line through the earth, is an exact function of the coordinates. It is computed from
    /// coordinate differences, which avoids cancellation for nearby points. The path is longer than the chord by the
    /// sum c (κc)² / 24 + 3 c (κc)⁴ / 640. These are the first terms of a series for the inverse sine of κc / 2. κ is
    /// the curvature of the normal section at the midpoint, computed with Euler's formula. The correction is only 8 mm
    /// for 20 km, so five digits of κ are sufficient.
    static func localDistance(from start: GeodeticCoordinate, to end: GeodeticCoordinate) -> Double? {
        let northward = end.latitude - start.latitude
        guard abs(northward) < 0.25 else { return nil }
        let eastward = DegreeArithmetic.difference(from: start.longitude, to: end.longitude).rounded
        let middle = SineCosine(degrees: (start.latitude + end.latitude) / 2)
        // The sine and cosine of half the latitude difference, which is at most 0.0022 radians.
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

        // `outward` is the difference between the two points' distances from the earth's axis. `upward` is the
        // difference between their heights above the equatorial plane.
        let product = w1 * w2
        let change = 4 * e2 * sineStep * sineSum / (w1 + w2)
        let outward = a * (2 * cosineStep * w1 + cosine1 * change) / product
        let upward = a * (1 - e2) * (2 * sineStep * w1 + sine1 * change) / product
        let eastSine = sin(eastward * (.pi / 360))
        let meridional = outward * outward + upward * upward
        let parallel = 4 * a * a * cosine1 * cosine2 / product * eastSine * eastSine
        let chordSquare = meridional + parallel
        guard chordSquare <= 4e8 else { return nil }  // (20 km)²
        guard chordSquare > 0 else { return 0 }

        let chord = chordSquare.squareRoot()
        let w = product.squareRoot()
        let bend = (meridional * product / (1 - e2) + parallel) * w / (a * chord)
        let bendSquare = bend * bend
        return chord * (1 + bendSquare * (1 / 24 + bendSquare * (3 / 640)))
    }
}

/// The end of a path with a given start, direction and length. All values are NaN for invalid input.
package struct GeodesicDirect: Equatable, Sendable {
    /// The end of the path, with a longitude between -180 and 180 degrees.
    package let destination: GeodeticCoordinate
    /// The direction of travel at the destination, in degrees clockwise from north, from -180 to 180.
    package let finalAzimuth: Double

    static var invalid: GeodesicDirect {
        GeodesicDirect(destination: GeodeticCoordinate(latitude: .nan, longitude: .nan), finalAzimuth: .nan)
    }
}

extension Geodesic {
    /// Returns the end of the path with the given start, direction and length.
    /// - Parameters:
    ///   - start: The start of the path.
    ///   - azimuth: The direction at the start in degrees clockwise from north. At a pole, north is the direction along
    ///     the meridian of the coordinate's longitude.
    ///   - distance: The length in metres. A negative length reverses the direction. The path may be longer than the
    ///     circumference of the earth.
    /// - Returns: The end of the path, with an error of about 20 nanometres for paths of up to one circumference, and
    ///   the direction of travel there. All values are NaN if `start` is not valid, or if `azimuth` or `distance` is
    ///   not finite.
    package static func direct(from start: GeodeticCoordinate, azimuth: Double, distance: Double) -> GeodesicDirect {
        guard start.isValid, azimuth.isFinite, distance.isFinite else { return .invalid }
        let heading = SineCosine(degrees: DegreeArithmetic.rounded(DegreeArithmetic.reduced(azimuth)))
        let latitude = ReducedLatitude(latitude: DegreeArithmetic.rounded(start.latitude))
        let circle = GreatCircle(latitude: latitude.angle, azimuth: heading)
        let node = circle.equatorialAzimuth
        let epsilon = circle.epsilon

        // The arc that corresponds to the distance (Karney 2013, equations 7 and 20).
        let series = DistanceSeries(epsilon: epsilon)
        let startPeriodic = series.periodic(circle.arc)
        let tau12 = distance / (WGS84.semiMinorAxis * series.scale)
        let tau2 = circle.arc + SineCosine(radians: startPeriodic) + SineCosine(radians: tau12)
        let arc = tau12 + startPeriodic + DistanceSeries.reverted(epsilon: epsilon)(tau2)
        let end = circle.arc + SineCosine(radians: arc)

        // Converts from the sphere to the ellipsoid (Karney 2013, equations 8 and 11 to 14).
        let sine = node.cosine * end.sine
        let northward = node.cosine * end.cosine
        var cosine = (node.sine * node.sine + northward * northward).squareRoot()
        // Exactly at a pole, any direction would be correct, so the result is north along the returned longitude.
        let finalAzimuth = cosine == 0 ? SineCosine(sine: 0, cosine: 1) : SineCosine(sine: node.sine, cosine: northward)
        cosine = max(cosine, SineCosine.tiny)
        let omega = SineCosine(sine: node.sine * end.sine, cosine: end.cosine) - circle.longitude
        let lag = LongitudeSeries(epsilon: epsilon)(from: circle.arc, to: end, arc: arc)
        let eastward = (omega.radians - WGS84.flattening * node.sine * lag) * 180 / .pi
        let longitude = DegreeArithmetic.reduced(
            DegreeArithmetic.reduced(start.longitude) + DegreeArithmetic.reduced(eastward))
        return GeodesicDirect(
            destination: GeodeticCoordinate(
                latitude: SineCosine(sine: sine, cosine: (1 - WGS84.flattening) * cosine).degrees,
                longitude: longitude),
            finalAzimuth: finalAzimuth.degrees)
    }
}

/// The shortest path between two points. All values are NaN if either point is not valid.
package struct GeodesicInverse: Equatable, Sendable {
    /// The length of the shortest path, in metres.
    package let distance: Double
    /// The direction of travel at the first point, in degrees clockwise from north, from -180 to 180.
    package let initialAzimuth: Double
    /// The direction of travel at the second point, in degrees clockwise from north, from -180 to 180.
    package let finalAzimuth: Double

    static var invalid: GeodesicInverse { GeodesicInverse(distance: .nan, initialAzimuth: .nan, finalAzimuth: .nan) }
}

extension Geodesic {
    /// Returns the shortest path between two points: the distance in metres, with an error of about 15 nanometres, and
    /// the direction of travel at both ends. At a pole, north is the direction along the meridian of the coordinate's
    /// longitude. For coincident points, both azimuths are zero. If two paths are equally short, one of them is
    /// returned. All values are NaN if either point is not valid.
    package static func inverse(from start: GeodeticCoordinate, to end: GeodeticCoordinate) -> GeodesicInverse {
        guard start.isValid, end.isValid else { return .invalid }
        var (eastward, rest) = DegreeArithmetic.difference(from: start.longitude, to: end.longitude)
        var eastSign = 1.0
        if eastward < 0 || (eastward == 0 && rest < 0) {
            eastSign = -1
            (eastward, rest) = (-eastward, -rest)
        }
        var first = DegreeArithmetic.rounded(start.latitude)
        var second = DegreeArithmetic.rounded(end.latitude)
        let isSwapped = abs(first) < abs(second)
        if isSwapped { swap(&first, &second) }
        let northSign: Double = first < 0 ? 1 : -1

        let path = ReducedInverse(
            startLatitude: first * northSign, endLatitude: second * northSign, longitude: eastward, rest: rest
        ).solve()
        if path.distance == 0 { return GeodesicInverse(distance: 0, initialAzimuth: 0, finalAzimuth: 0) }
        // If the two points were swapped, undoing the swap reverses both azimuths and exchanges east and west.
        // Together, these changes negate the cosines and leave the sines unchanged.
        let azimuths = isSwapped ? (path.arrival, path.departure) : (path.departure, path.arrival)
        let cosineSign = isSwapped ? -northSign : northSign
        return GeodesicInverse(
            distance: path.distance,
            initialAzimuth: azimuth(azimuths.0, eastSign: eastSign, cosineSign: cosineSign),
            finalAzimuth: azimuth(azimuths.1, eastSign: eastSign, cosineSign: cosineSign))
    }

    private static func azimuth(_ direction: SineCosine, eastSign: Double, cosineSign: Double) -> Double {
        SineCosine(sine: direction.sine * eastSign, cosine: direction.cosine * cosineSign).degrees
    }
}
