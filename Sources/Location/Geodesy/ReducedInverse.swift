// SPDX-License-Identifier: Apache-2.0

/// The inverse problem, reduced by its symmetries to a standard form (Karney 2013, equation 44). In this form, the
/// first point is on the equator or south of it, and at least as far from the equator as the second point. The path
/// leads east and spans at most 180 degrees of longitude.
struct ReducedInverse {
    /// A solution: the length in metres and the azimuths at both points.
    struct Path {
        var distance: Double
        var departure, arrival: SineCosine
    }

    /// The reduced latitude `β1` of the first point.
    let start: ReducedLatitude
    /// The reduced latitude `β2` of the second point.
    let end: ReducedLatitude
    /// The longitude difference `λ12`, in radians.
    let longitude: Double
    /// `180° - λ12` in radians, computed without cancellation.
    let supplement: Double
    let longitudeAngle: SineCosine

    /// Creates the problem from degrees. `rest` is the rounding error of the longitude difference.
    init(startLatitude: Double, endLatitude: Double, longitude: Double, rest: Double) {
        // Rounding prevents the squares of `longitude` and `supplement` from underflowing.
        let isSmall = longitude < 1
        let longitude = DegreeArithmetic.rounded(longitude)
        let rest = isSmall ? 0 : rest
        let supplementDegrees = DegreeArithmetic.rounded((180 - longitude) - rest)
        let start = ReducedLatitude(latitude: startLatitude)
        var end = ReducedLatitude(latitude: endLatitude)
        // Makes the two latitudes exactly equal or opposite if they differ only by rounding. Compares their cosines
        // near the poles, and their sines near the equator.
        if start.cosine < -start.sine {
            if end.cosine == start.cosine { end.angle.sine = end.sine < 0 ? start.sine : -start.sine }
        } else if abs(end.sine) == -start.sine {
            end.angle.cosine = start.cosine
        }
        (self.start, self.end) = (start, end)
        self.longitude = (longitude + rest) * .pi / 180
        supplement = supplementDegrees * .pi / 180
        if longitude > 90 {
            let angle = SineCosine(degrees: supplementDegrees)
            longitudeAngle = SineCosine(sine: angle.sine, cosine: -angle.cosine)
        } else {
            longitudeAngle = SineCosine(degrees: longitude, plus: rest)
        }
    }

    func solve() -> Path {
        // At a pole, the cosine is exactly `tiny`.
        if start.cosine == SineCosine.tiny || longitudeAngle.sine == 0 { return alongMeridian() }
        if start.sine == 0 && supplement >= WGS84.flattening * .pi { return alongEquator() }
        switch estimate() {
        case .solved(let path): return path
        case .azimuth(let azimuth): return refine(azimuth)
        }
    }

    /// Returns the path along a meridian. Between opposite meridians, the path passes over the nearer pole.
    private func alongMeridian() -> Path {
        let departure = longitudeAngle
        let arrival = SineCosine(sine: 0, cosine: 1)
        let first = SineCosine(sine: start.sine, cosine: departure.cosine * start.cosine)
        let second = end.angle
        let arc = Self.arc(from: first, to: second)
        let distance = Self.distance(from: first, to: second, arc: arc, epsilon: GreatCircle.epsilon(cosineSquared: 1))
        return Path(distance: distance, departure: departure, arrival: arrival)
    }

    /// Returns the path along the equator. Call this method only if the points are close enough for the equator to be
    /// the shortest path.
    private func alongEquator() -> Path {
        let east = SineCosine(sine: 1, cosine: 0)
        return Path(distance: WGS84.semiMajorAxis * longitude, departure: east, arrival: east)
    }

    /// Returns the arc length between two points on a great circle, in radians from 0 to π.
    static func arc(from first: SineCosine, to second: SineCosine) -> Double { forward(second - first).radians }

    /// Returns the angle, with a negative sine (or -0) replaced by 0 so that rounding errors cannot move the angle out
    /// of the range from 0 to 180 degrees.
    static func forward(_ angle: SineCosine) -> SineCosine {
        SineCosine(sine: angle.sine > 0 ? angle.sine : 0, cosine: angle.cosine)
    }

    static func distance(from first: SineCosine, to second: SineCosine, arc: Double, epsilon: Double) -> Double {
        let series = DistanceSeries(epsilon: epsilon)
        let periodic = series.periodic(second) - series.periodic(first)
        return max(0, WGS84.semiMinorAxis * series.scale * (arc + periodic))
    }
}
