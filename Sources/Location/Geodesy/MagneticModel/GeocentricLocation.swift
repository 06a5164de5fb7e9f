// SPDX-License-Identifier: Apache-2.0

/// A location in the spherical coordinates of ``MagneticModel``.
struct GeocentricLocation {
    let latitude, longitude: SineCosine
    /// The reference radius of the model divided by the distance from the earth's centre.
    let referenceRadiusRatio: Double
    /// The distance from the earth's centre divided by the reference radius.
    let distanceInReferenceRadii: Double
    /// The geocentric latitude minus the geodetic latitude.
    private let rotation: SineCosine

    /// The mean earth radius that the coefficients of ``MagneticModel`` refer to, in metres.
    static var referenceRadius: Double { 6_371_200 }

    /// Creates a location from degrees on the WGS-84 ellipsoid and a height in metres above the ellipsoid.
    @inline(__always) init(latitude: Double, longitude: Double, altitude: Double) {
        let angles = SineCosines(degrees: SIMD2(latitude, DegreeArithmetic.reduced(longitude)))
        let geodetic = SineCosine(sine: angles.sine.x, cosine: angles.cosine.x)
        self.longitude = SineCosine(sine: angles.sine.y, cosine: angles.cosine.y)
        // `normal` is the length of the ellipsoid's normal from the surface to the earth's axis.
        let e2 = WGS84.eccentricitySquared
        let normal = WGS84.semiMajorAxis / (1 - e2 * geodetic.sine * geodetic.sine).squareRoot()
        let fromAxis = (normal + altitude) * geodetic.cosine
        let fromEquator = (normal * (1 - e2) + altitude) * geodetic.sine
        let radius = (fromAxis * fromAxis + fromEquator * fromEquator).squareRoot()
        let geocentric = SineCosine(sine: fromEquator / radius, cosine: fromAxis / radius)
        self.latitude = geocentric
        referenceRadiusRatio = Self.referenceRadius / radius
        // Multiplying by a constant avoids a second division.
        distanceInReferenceRadii = radius * (1 / Self.referenceRadius)
        rotation = geocentric - geodetic
    }

    /// Converts a vector from the axes of the sphere (north, east, down) to the axes of the ellipsoid.
    @inline(__always) func rotatedToEllipsoid(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(
            rotation.cosine * vector.x - rotation.sine * vector.z, vector.y,
            rotation.sine * vector.x + rotation.cosine * vector.z)
    }
}

/// Two angles, each stored as its sine and cosine.
struct SineCosines {
    var sine, cosine: SIMD2<Double>

    @inline(__always) init(_ first: SineCosine, _ second: SineCosine) {
        sine = SIMD2(first.sine, second.sine)
        cosine = SIMD2(first.cosine, second.cosine)
    }

    /// Creates two angles from degrees in the range -180 to 180. The error is a few units in the last place, and
    /// multiples of 90 degrees are exact. No library function is called, so the result is the same on every machine.
    @inline(__always) init(degrees: SIMD2<Double>) {
        // Adding and then subtracting this number rounds to an integer, because all doubles of this size are integers.
        let large = 0x1.8p52
        let quadrant = (degrees * (1.0 / 90) + large) - large
        // The quadrant is subtracted before the conversion to radians because this subtraction is exact.
        let angle = (degrees - quadrant * 90) * (Double.pi / 180)
        // The Taylor series for up to 45 degrees. The omitted terms are below a hundredth of a unit in the last place.
        let square: SIMD2<Double> = angle * angle
        let fourth: SIMD2<Double> = square * square
        let s1: SIMD2<Double> = square * (1.0 / 120) - 1.0 / 6
        let s2: SIMD2<Double> = square * (1.0 / 362_880) - 1.0 / 5040
        let s3: SIMD2<Double> = square * (1.0 / 6_227_020_800) - 1.0 / 39_916_800
        let s4: SIMD2<Double> = square * (1.0 / 355_687_428_096_000) - 1.0 / 1_307_674_368_000
        let c1: SIMD2<Double> = 1.0 / 24 - square * (1.0 / 720)
        let c2: SIMD2<Double> = 1.0 / 40_320 - square * (1.0 / 3_628_800)
        let c3: SIMD2<Double> = 1.0 / 479_001_600 - square * (1.0 / 87_178_291_200)
        // The expressions are split because the compiler takes too long to type-check a single expression.
        let s34: SIMD2<Double> = s3 + fourth * s4
        let s234: SIMD2<Double> = s2 + fourth * s34
        let series: SIMD2<Double> = s1 + fourth * s234
        let s: SIMD2<Double> = angle + angle * square * series
        let c34: SIMD2<Double> = c3 + fourth * (1.0 / 20_922_789_888_000)
        let c234: SIMD2<Double> = c2 + fourth * c34
        let rest: SIMD2<Double> = c1 + fourth * c234
        let c: SIMD2<Double> = (1 - 0.5 * square) + fourth * rest
        // The sine and cosine of the quadrant. Each is 0, 1 or -1.
        let size = SIMD2(abs(quadrant.x), abs(quadrant.y))
        let odd = size * (2 - size)
        let quadrantSine = quadrant * odd
        let quadrantCosine: SIMD2<Double> = 1 - 0.5 * (size * size + odd)
        sine = s * quadrantCosine + c * quadrantSine
        cosine = c * quadrantCosine - s * quadrantSine
    }

    /// Adds `right` to both angles of `left`.
    @inline(__always) static func + (left: SineCosines, right: SineCosine) -> SineCosines {
        var sum = left
        sum.sine = left.sine * right.cosine + left.cosine * right.sine
        sum.cosine = left.cosine * right.cosine - left.sine * right.sine
        return sum
    }
}
