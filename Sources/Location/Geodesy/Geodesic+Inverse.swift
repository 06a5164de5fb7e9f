// SPDX-License-Identifier: Apache-2.0

/// The shortest path between two points. All values are NaN if a point is not valid.
package struct GeodesicInverse: Equatable, Sendable {
    /// The length of the shortest path, in metres.
    package let distance: Double

    /// The direction of travel at the first point, in degrees clockwise from north, from -180 to 180.
    package let initialAzimuth: Double

    /// The direction of travel, not of the way back, at the second point, as for the first point.
    package let finalAzimuth: Double

    static var invalid: GeodesicInverse {
        GeodesicInverse(distance: .nan, initialAzimuth: .nan, finalAzimuth: .nan)
    }
}

extension Geodesic {
    /// Returns the shortest path between two points.
    /// - Returns: The distance in metres, with an error of about 15 nanometres, and the direction of travel at both
    ///   ends. At a pole, north is the direction along the meridian of the coordinate's longitude. For coincident
    ///   points both azimuths are zero. If two paths are equally short (antipodal points), one of them is returned. All
    ///   values are NaN if a point is not valid (see ``GeodeticCoordinate/isValid``).
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
        // Swapping the ends reverses the path: both azimuths change by 180 degrees, and east and west are exchanged,
        // which leaves the sine unchanged.
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
