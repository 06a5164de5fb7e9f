// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A place as the harmonics need it.
struct SphericalPlace {
    /// The angle at the earth's centre, above the equator.
    let latitude: SineCosine

    let longitude: SineCosine

    /// The reference radius of the coefficients over the distance from the earth's centre.
    let ratio: Double

    /// Geocentric minus geodetic latitude.
    let rotation: SineCosine

    /// The mean radius of the earth that the coefficients refer to, in metres.
    static var referenceRadius: Double { 6_371_200 }

    /// Degrees on the WGS-84 ellipsoid and metres above it.
    init(latitude: Double, longitude: Double, altitude: Double) {
        let geodetic = SineCosine(degrees: latitude)
        self.longitude = SineCosine(degrees: DegreeArithmetic.reduced(longitude))
        // The cross-section through the poles: from the normal's length down to the earth's axis.
        let e2 = WGS84.eccentricitySquared
        let normal = WGS84.semiMajorAxis / (1 - e2 * geodetic.sine * geodetic.sine).squareRoot()
        let fromAxis = (normal + altitude) * geodetic.cosine
        let fromEquator = (normal * (1 - e2) + altitude) * geodetic.sine
        let radius = (fromAxis * fromAxis + fromEquator * fromEquator).squareRoot()
        let geocentric = SineCosine(sine: fromEquator / radius, cosine: fromAxis / radius)
        self.latitude = geocentric
        ratio = Self.referenceRadius / radius
        rotation = geocentric - geodetic
    }
}
