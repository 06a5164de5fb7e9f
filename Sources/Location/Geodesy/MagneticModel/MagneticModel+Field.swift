// SPDX-License-Identifier: Apache-2.0

extension MagneticModel {
    /// The field at a place and a time.
    ///
    /// Outside ``validYears`` or ``validAltitudes`` the formulas are continued, and ``MagneticField/isModelValid`` is
    /// false. What is no place or no time at all gives a field of NaN: a latitude beyond ±90 degrees, anything that is
    /// not finite, a height more than 2,800 km below the ellipsoid, where the field has its source.
    ///
    /// At the poles north is where the given longitude's meridian points, as a traveller along it would have it.
    ///
    /// - Parameters:
    ///   - latitude: the geodetic latitude in degrees, north positive (WGS 84).
    ///   - longitude: the longitude in degrees, east positive; any number, taken modulo 360.
    ///   - altitude: metres above the WGS 84 ellipsoid. The height above mean sea level does as well: the difference of
    ///     at most 110 m is 0.005 % of the field.
    ///   - year: the decimal year, such as 2026.5; see ``DecimalYear``.
    package func field(latitude: Double, longitude: Double, altitude: Double, year: Double) -> MagneticField {
        guard abs(latitude) <= 90, longitude.isFinite, year.isFinite, altitude >= -2_800_000, altitude.isFinite else {
            return MagneticField(field: .nan, rate: .nan, year: year, isModelValid: false)
        }
        let place = SphericalPlace(latitude: latitude, longitude: longitude, altitude: altitude)
        let sums = sums(at: place)
        let years = year - epoch
        let x = place.rotation.cosine * sums.x - place.rotation.sine * sums.z
        let z = place.rotation.sine * sums.x + place.rotation.cosine * sums.z
        return MagneticField(
            field: SIMD3(x.x + years * x.y, sums.y.x + years * sums.y.y, z.x + years * z.y),
            rate: SIMD3(x.y, sums.y.y, z.y), year: year,
            isModelValid: validYears.contains(year) && Self.validAltitudes.contains(altitude))
    }

    /// The field at the epoch and its change a year: north, east and down of a sphere.
    private func sums(at place: SphericalPlace) -> (x: SIMD2<Double>, y: SIMD2<Double>, z: SIMD2<Double>) {
        let (sinLatitude, cosLatitude) = (place.latitude.sine, place.latitude.cosine)
        let ratio = place.ratio
        // One step up in degree brings another power of the ratio of the radii.
        let step = ratio * sinLatitude
        let ratioSquared = ratio * ratio
        // The function of the lowest degree of an order, over the cosine of the latitude.
        var seed = ratioSquared * ratio

        // Orders 0 and 1: the derivative of order 0 is the function of order 1.
        var order0 = LegendreColumn(seed: ratioSquared)
        order0.advance(step: step, recursion: 0)
        var order1 = LegendreColumn(seed: seed)
        var (zonalSlope, zonalUp) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
        var sums = OrderSums()
        for term in zonal {
            let odd = term.next
            if odd.degree > 1 {
                order0.advance(step: step, recursion: term.recursion * ratioSquared)
                order1.advance(step: step, recursion: odd.recursion * ratioSquared)
            }
            zonalSlope += odd.degree * order1.value * term.g
            zonalUp += (odd.degree + 1) * order0.value * term.g
            sums.add(odd, order1)
        }
        var angle = place.longitude
        var x = sums.slope(sinLatitude, ratio, angle) - cosLatitude * zonalSlope
        var y = sums.across(angle)
        var z = sums.up(angle)

        var first = 0
        var order = 2
        while order <= degree {
            seed *= ratio * cosLatitude
            angle = angle + place.longitude
            let end = first + degree - order + 1
            var column = LegendreColumn(seed: seed)
            sums = OrderSums()
            sums.add(sectoral[first], column)
            for term in sectoral[(first + 1)..<end] {
                column.advance(step: step, recursion: term.recursion * ratioSquared)
                sums.add(term, column)
            }
            x += sums.slope(sinLatitude, ratio, angle)
            y += Double(order) * sums.across(angle)
            z += sums.up(angle)
            first = end
            order += 1
        }
        return (x, y, -zonalUp - cosLatitude * z)
    }
}

/// The Legendre functions of one order, with the powers of the ratio of the radii, degree by degree.
private struct LegendreColumn {
    var value: Double
    var before = 0.0

    init(seed: Double) {
        value = seed
    }

    @inline(__always) mutating func advance(step: Double, recursion: Double) {
        (value, before) = (step * value - recursion * before, value)
    }
}

/// The sums over the degrees of one order, each for the coefficients and their rates.
private struct OrderSums {
    /// Plain, weighted by the degree, and with the function one degree lower.
    private var (g, gByDegree, gBelow) = (SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)
    private var (h, hByDegree, hBelow) = (SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)

    @inline(__always) mutating func add(_ term: MagneticTerm, _ column: LegendreColumn) {
        let byDegree = term.degree * column.value
        let below = term.slope * column.before
        g += column.value * term.g
        h += column.value * term.h
        gByDegree += byDegree * term.g
        hByDegree += byDegree * term.h
        gBelow += below * term.g
        hBelow += below * term.h
    }

    /// The derivative by the colatitude.
    @inline(__always) func slope(_ sinLatitude: Double, _ ratio: Double, _ angle: SineCosine) -> SIMD2<Double> {
        angle.cosine * (sinLatitude * gByDegree - ratio * gBelow)
            + angle.sine * (sinLatitude * hByDegree - ratio * hBelow)
    }

    /// The derivative by the longitude, over the order.
    @inline(__always) func across(_ angle: SineCosine) -> SIMD2<Double> {
        angle.sine * g - angle.cosine * h
    }

    /// The derivative by the distance.
    @inline(__always) func up(_ angle: SineCosine) -> SIMD2<Double> {
        angle.cosine * (gByDegree + g) + angle.sine * (hByDegree + h)
    }
}

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
