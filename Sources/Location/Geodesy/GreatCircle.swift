// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A geodesic's image on the auxiliary sphere: the great circle through a latitude in a direction.
struct GreatCircle {
    /// `α0`, the azimuth where the circle crosses the equator northward.
    let equatorialAzimuth: SineCosine

    /// `σ`, the arc length from that crossing to the given point.
    let arc: SineCosine

    /// `ω`, the longitude on the sphere from that crossing to the given point; a vector of any length.
    let longitude: SineCosine

    init(latitude: SineCosine, azimuth: SineCosine) {
        let cosine = azimuth.sine * latitude.sine
        equatorialAzimuth = SineCosine(
            sine: azimuth.sine * latitude.cosine,
            cosine: (azimuth.cosine * azimuth.cosine + cosine * cosine).squareRoot())
        // On the equator heading due east or west, the point itself is taken as the crossing.
        let onEquator = latitude.sine == 0 && azimuth.cosine == 0
        let northward = onEquator ? 1 : azimuth.cosine * latitude.cosine
        arc = SineCosine(y: latitude.sine, x: northward)
        longitude = SineCosine(sine: equatorialAzimuth.sine * latitude.sine, cosine: northward)
    }

    /// The expansion parameter `ε` of all series (Karney 2013, equations 9 and 16).
    var epsilon: Double {
        Self.epsilon(cosineSquared: equatorialAzimuth.cosine * equatorialAzimuth.cosine)
    }

    /// The expansion parameter for a given `cos² α0`.
    static func epsilon(cosineSquared: Double) -> Double {
        let k2 = WGS84.secondEccentricitySquared * cosineSquared
        return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    }
}
