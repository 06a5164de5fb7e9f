// SPDX-License-Identifier: Apache-2.0

/// The end of a path with a given start, direction and length. All values are NaN for invalid input.
package struct GeodesicDirect: Equatable, Sendable {
    /// The end of the path; its longitude is between -180 and 180 degrees.
    package let destination: GeodeticCoordinate

    /// The direction of travel at the destination, in degrees clockwise from north, from -180 to 180.
    package let finalAzimuth: Double

    static var invalid: GeodesicDirect {
        GeodesicDirect(destination: GeodeticCoordinate(latitude: .nan, longitude: .nan), finalAzimuth: .nan)
    }
}

extension Geodesic {
    /// Returns the end of the path that leaves a point in a direction and has a given length.
    /// - Parameters:
    ///   - start: The start of the path.
    ///   - azimuth: The direction at the start in degrees clockwise from north; any finite value. At a pole, north is
    ///     the direction along the meridian of the coordinate's longitude.
    ///   - distance: The length of the path in metres; a negative length is in the opposite direction. It may be longer
    ///     than the circumference of the earth.
    /// - Returns: The end of the path, with an error of about 20 nanometres for paths up to once around the earth, and
    ///   the direction of travel there. All values are NaN if the start is not valid (see
    ///   ``GeodeticCoordinate/isValid``) or if azimuth or distance is not finite.
    package static func direct(from start: GeodeticCoordinate, azimuth: Double, distance: Double) -> GeodesicDirect {
        guard start.isValid, azimuth.isFinite, distance.isFinite else { return .invalid }
        let heading = SineCosine(degrees: DegreeArithmetic.rounded(DegreeArithmetic.reduced(azimuth)))
        let latitude = ReducedLatitude(latitude: DegreeArithmetic.rounded(start.latitude))
        let circle = GreatCircle(latitude: latitude.angle, azimuth: heading)
        let node = circle.equatorialAzimuth
        let epsilon = circle.epsilon

        // The arc of the distance (Karney 2013, equations 7 and 20).
        let series = DistanceSeries(epsilon: epsilon)
        let startPeriodic = series.periodic(circle.arc)
        let tau12 = distance / (WGS84.semiMinorAxis * series.scale)
        let tau2 = circle.arc + SineCosine(radians: startPeriodic) + SineCosine(radians: tau12)
        let arc = tau12 + startPeriodic + DistanceSeries.reverted(epsilon: epsilon)(tau2)
        let end = circle.arc + SineCosine(radians: arc)

        // From the sphere to the ellipsoid (Karney 2013, equations 8 and 11 to 14).
        let sine = node.cosine * end.sine
        let northward = node.cosine * end.cosine
        var cosine = (node.sine * node.sine + northward * northward).squareRoot()
        // The direction is arbitrary exactly at a pole; the result is north along the returned longitude.
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
