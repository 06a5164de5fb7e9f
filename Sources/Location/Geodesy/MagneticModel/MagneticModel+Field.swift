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
    ///   - withRates: false to leave the changes a year NaN, which spares the time that they take.
    package func field(
        latitude: Double, longitude: Double, altitude: Double, year: Double, withRates: Bool = true
    ) -> MagneticField {
        guard abs(latitude) <= 90, longitude.isFinite, year.isFinite, altitude >= -2_800_000, altitude.isFinite else {
            return MagneticField(field: .nan, rate: .nan, year: year, isModelValid: false)
        }
        let place = SphericalPlace(latitude: latitude, longitude: longitude, altitude: altitude)
        let years = year - epoch
        let (field, rate) =
            withRates ? sums(at: place, years: years, withRates: true) : sums(at: place, years: years, withRates: false)
        return MagneticField(
            field: place.turned(field), rate: withRates ? place.turned(rate) : .nan, year: year,
            isModelValid: validYears.contains(year) && Self.validAltitudes.contains(altitude))
    }

    /// The field and its change a year: north, east and down of a sphere. The change is zero where it is not wanted.
    @inline(__always)
    private func sums(
        at place: SphericalPlace, years: Double, withRates: Bool
    ) -> (field: SIMD3<Double>, rate: SIMD3<Double>) {
        let (sinLatitude, cosLatitude) = (place.latitude.sine, place.latitude.cosine)
        let ratio = place.ratio
        // One step up in degree brings another power of the ratio of the radii.
        let step = ratio * sinLatitude
        let ratioSquared = ratio * ratio
        var (field, rate) = (FieldSums(), FieldSums())

        // The function of order 0, and that of order 1 over the cosine of the latitude, which is its derivative.
        var (value, before) = (step * ratioSquared, ratioSquared)
        var (nextValue, nextBefore) = (ratio * ratioSquared, 0.0)
        for term in zonal {
            field.add(term.g + years * term.gRate, degree: term.degree, value, derivative: nextValue)
            if withRates { rate.add(term.gRate, degree: term.degree, value, derivative: nextValue) }
            (value, before) = (step * value - ratioSquared * (term.recursion * before), value)
            (nextValue, nextBefore) = (
                step * nextValue - ratioSquared * (term.nextRecursion * nextBefore), nextValue
            )
        }

        let turn = place.longitude + place.longitude
        var orders = OrderPair(angle: SineCosines(place.longitude, turn), place: place, last: summedDegree)
        // The functions of the lowest degrees of two orders, over the cosine of the latitude.
        let cube: Double = ratioSquared * ratio
        var seed = SIMD2<Double>(cube, ratio * cosLatitude * cube)
        let seedStep = ratio * cosLatitude * (ratio * cosLatitude)
        var first = 0
        var count = summedDegree
        while count > 0 {
            var (fieldSums, rateSums) = (OrderSums(), OrderSums())
            // Of the degree at hand, and of the one before times the square of the ratio.
            var (value, before) = (seed, SIMD2<Double>.zero)
            for term in sectoral[first..<(first + count)] {
                let below = term.slope * before
                fieldSums.add(term.g + years * term.gRate, term.h + years * term.hRate, value, below)
                if withRates { rateSums.add(term.gRate, term.hRate, value, below) }
                (value, before) = (step * value - term.recursion * below, ratioSquared * value)
            }
            field.add(fieldSums, orders)
            if withRates { rate.add(rateSums, orders) }
            seed *= seedStep
            orders.advance(by: turn)
            first += count
            count -= 2
        }
        return (field.vector(cosLatitude), withRates ? rate.vector(cosLatitude) : .zero)
    }
}

/// Two orders beside each other at a place.
private struct OrderPair {
    /// The orders times the longitude.
    var angle: SineCosines
    var orders = SIMD2<Double>(1, 2)
    /// One more than the degrees of the last terms.
    let beyond: SIMD2<Double>
    let sinLatitude: Double
    let radii: Double

    @inline(__always)
    init(angle: SineCosines, place: SphericalPlace, last: Int) {
        self.angle = angle
        beyond = SIMD2(Double(last + 1), Double(last + 2))
        sinLatitude = place.latitude.sine
        radii = place.radii
    }

    @inline(__always)
    mutating func advance(by turn: SineCosine) {
        angle = angle + turn
        orders += 2
    }
}

/// The sums over the degrees of two orders beside each other.
private struct OrderSums {
    /// Plain, and the sum of all that this has been on the way.
    var g = SIMD2<Double>.zero
    var h = SIMD2<Double>.zero
    var gRunning = SIMD2<Double>.zero
    var hRunning = SIMD2<Double>.zero
    /// With the functions of the degree before.
    var gBelow = SIMD2<Double>.zero
    var hBelow = SIMD2<Double>.zero

    @inline(__always)
    mutating func add(
        _ gTerm: SIMD2<Double>, _ hTerm: SIMD2<Double>, _ value: SIMD2<Double>, _ below: SIMD2<Double>
    ) {
        g += gTerm * value
        h += hTerm * value
        gRunning += g
        hRunning += h
        gBelow += gTerm * below
        hBelow += hTerm * below
    }
}

/// The sums over all orders.
private struct FieldSums {
    private var (x, y, z) = (SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)
    /// Of order 0: along the radius, and along the meridian over the cosine of the latitude.
    private var (up, slope) = (0.0, 0.0)

    @inline(__always)
    mutating func add(_ g: Double, degree: Double, _ value: Double, derivative: Double) {
        let byDegree = degree * g
        up += (byDegree + g) * value
        slope += byDegree * derivative
    }

    @inline(__always)
    mutating func add(_ sums: OrderSums, _ pair: OrderPair) {
        // The sums weighted by the degree: each of the terms is in the running sum as often as its degree is below the last
        // one's, and once more. That costs an addition a term, where a weight would cost a multiplication as well.
        let (g, h) = (pair.beyond * sums.g - sums.gRunning, pair.beyond * sums.h - sums.hRunning)
        let (sine, cosine) = (pair.angle.sine, pair.angle.cosine)
        x += cosine * (pair.sinLatitude * g - pair.radii * sums.gBelow)
        x += sine * (pair.sinLatitude * h - pair.radii * sums.hBelow)
        y += pair.orders * (sine * sums.g - cosine * sums.h)
        z += cosine * (g + sums.g) + sine * (h + sums.h)
    }

    @inline(__always)
    func vector(_ cosLatitude: Double) -> SIMD3<Double> {
        SIMD3(x.sum() - cosLatitude * slope, y.sum(), -up - cosLatitude * z.sum())
    }
}
