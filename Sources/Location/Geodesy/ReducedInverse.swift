// SPDX-License-Identifier: Apache-2.0

/// The inverse problem after its symmetries are used up: the first point is in the southern hemisphere or on the
/// equator and at least as far from it as the second, and the path leads east by at most 180 degrees (Karney 2013,
/// equation 44).
struct ReducedInverse {
    /// A solution of the reduced problem.
    struct Path {
        var distance: Double
        var departure: SineCosine
        var arrival: SineCosine
    }

    /// `β1`.
    let start: ReducedLatitude

    /// `β2`.
    let end: ReducedLatitude

    /// `λ12` in radians.
    let longitude: Double

    /// `180° - λ12` in radians, without the cancellation.
    let supplement: Double

    /// `λ12`.
    let longitudeAngle: SineCosine

    /// Creates the problem; `rest` is what rounding took from the longitude difference. Degrees.
    init(startLatitude: Double, endLatitude: Double, longitude: Double, rest: Double) {
        // Like the latitudes, longitude and supplement are kept out of the range where their squares underflow.
        let isSmall = longitude < 1
        let longitude = DegreeArithmetic.snapped(longitude)
        let rest = isSmall ? 0 : rest
        let supplementDegrees = DegreeArithmetic.snapped((180 - longitude) - rest)
        let start = ReducedLatitude(latitude: startLatitude)
        var end = ReducedLatitude(latitude: endLatitude)
        // Latitudes that round to one cosine near the poles, or one sine near the equator, are made equal throughout.
        if start.cosine < -start.sine {
            if end.cosine == start.cosine { end.angle.sine = end.sine < 0 ? start.sine : -start.sine }
        } else if abs(end.sine) == -start.sine {
            end.angle.cosine = start.cosine
        }
        self.start = start
        self.end = end
        self.longitude = (longitude + rest) * .pi / 180
        supplement = supplementDegrees * .pi / 180
        if longitude > 90 {
            let angle = SineCosine(degrees: supplementDegrees)
            longitudeAngle = SineCosine(sine: angle.sine, cosine: -angle.cosine)
        } else {
            longitudeAngle = SineCosine(degrees: longitude, plus: rest)
        }
    }

    /// The shortest path.
    func solve() -> Path {
        if start.cosine == SineCosine.tiny || longitudeAngle.sine == 0 { return alongMeridian() }
        if start.sine == 0 && supplement >= WGS84.flattening * .pi { return alongEquator() }
        switch estimate() {
        case .solved(let path): return path
        case .azimuth(let azimuth): return refine(azimuth)
        }
    }

    /// Both points on one meridian or on two opposite ones: the path leads over the pole that is nearer.
    private func alongMeridian() -> Path {
        let departure = longitudeAngle
        let arrival = SineCosine(sine: 0, cosine: 1)
        let first = SineCosine(sine: start.sine, cosine: departure.cosine * start.cosine)
        let second = end.angle
        let arc = Self.arc(from: first, to: second)
        let distance = Self.distance(from: first, to: second, arc: arc, epsilon: GreatCircle.epsilon(cosineSquared: 1))
        return Path(distance: distance, departure: departure, arrival: arrival)
    }

    /// Both points on the equator, and not so far apart that a way over higher latitudes is shorter.
    private func alongEquator() -> Path {
        let east = SineCosine(sine: 1, cosine: 0)
        return Path(distance: WGS84.semiMajorAxis * longitude, departure: east, arrival: east)
    }

    /// The arc length between two points of one great circle, in radians from 0 to π.
    static func arc(from first: SineCosine, to second: SineCosine) -> Double {
        forward(second - first).radians
    }

    /// An angle known to lie between 0 and 180 degrees, without what rounding put below; -0 would turn 180 into -180.
    static func forward(_ angle: SineCosine) -> SineCosine {
        SineCosine(sine: angle.sine > 0 ? angle.sine : 0, cosine: angle.cosine)
    }

    /// The distance between two points of one geodesic, in metres.
    static func distance(from first: SineCosine, to second: SineCosine, arc: Double, epsilon: Double) -> Double {
        let series = DistanceSeries(epsilon: epsilon)
        let periodic = series.periodic(second) - series.periodic(first)
        return max(0, WGS84.semiMinorAxis * series.scale * (arc + periodic))
    }
}
