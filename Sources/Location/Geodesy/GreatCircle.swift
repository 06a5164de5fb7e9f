// SPDX-License-Identifier: Apache-2.0

/// The latitude on the auxiliary sphere: `tan β = (1 - f) tan φ` (Karney 2013, equation 6).
struct ReducedLatitude {
    /// The sine and cosine of `β`. The cosine is never zero.
    var angle: SineCosine

    var sine: Double { angle.sine }
    var cosine: Double { angle.cosine }

    init(latitude: Double) {
        let geodetic = SineCosine(degrees: latitude)
        angle = SineCosine(y: (1 - WGS84.flattening) * geodetic.sine, x: geodetic.cosine)
        // Moves a point at a pole by 10⁻¹⁴⁷ m, so that its azimuth and longitude are defined.
        angle.cosine = max(angle.cosine, SineCosine.tiny)
    }

    /// `w = √(1 + e'² sin² β)`, the factor that converts lengths along a meridian from the sphere to the ellipsoid.
    var lengthScale: Double { (1 + WGS84.secondEccentricitySquared * sine * sine).squareRoot() }
}

/// The great circle on the auxiliary sphere that corresponds to a geodesic. It is determined by the latitude of one of
/// its points and the azimuth at that point.
struct GreatCircle {
    /// `α0`, the azimuth at the point where the great circle crosses the equator northward.
    let equatorialAzimuth: SineCosine
    /// `σ`, the arc length from the equator crossing to the given point.
    let arc: SineCosine
    /// `ω`, the longitude difference on the sphere from the equator crossing to the given point. The sine and cosine
    /// are not normalised.
    let longitude: SineCosine

    init(latitude: SineCosine, azimuth: SineCosine) {
        let cosine = azimuth.sine * latitude.sine
        equatorialAzimuth = SineCosine(
            sine: azimuth.sine * latitude.cosine,
            cosine: (azimuth.cosine * azimuth.cosine + cosine * cosine).squareRoot())
        // A path along the equator never crosses it, so the given point is used instead of a crossing.
        let isOnEquator = latitude.sine == 0 && azimuth.cosine == 0
        let northward = isOnEquator ? 1 : azimuth.cosine * latitude.cosine
        arc = SineCosine(y: latitude.sine, x: northward)
        longitude = SineCosine(sine: equatorialAzimuth.sine * latitude.sine, cosine: northward)
    }

    /// The expansion parameter `ε` of all series (Karney 2013, equations 9 and 16).
    var epsilon: Double { Self.epsilon(cosineSquared: equatorialAzimuth.cosine * equatorialAzimuth.cosine) }

    static func epsilon(cosineSquared: Double) -> Double {
        let k2 = WGS84.secondEccentricitySquared * cosineSquared
        return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    }
}
