// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The latitude on the auxiliary sphere: `tan β = (1 - f) tan φ` (Karney 2013, equation 6).
struct ReducedLatitude {
    /// Sine and cosine of `β`; the cosine is never zero.
    var angle: SineCosine

    var sine: Double { angle.sine }
    var cosine: Double { angle.cosine }

    /// Creates it from a geodetic latitude between -90 and 90 degrees.
    init(latitude: Double) {
        let geodetic = SineCosine(degrees: latitude)
        angle = SineCosine(y: (1 - WGS84.flattening) * geodetic.sine, x: geodetic.cosine)
        // A pole is moved by 10⁻¹⁴⁷ m so that azimuth and longitude stay defined there.
        angle.cosine = max(angle.cosine, SineCosine.tiny)
    }

    /// `w = √(1 + e'² sin² β)`, by which meridional lengths on the sphere are stretched.
    var stretch: Double {
        (1 + WGS84.secondEccentricitySquared * sine * sine).squareRoot()
    }
}
