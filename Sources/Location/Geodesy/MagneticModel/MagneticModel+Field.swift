// SPDX-License-Identifier: Apache-2.0

extension MagneticModel {
    /// Returns the field at a location and a time.
    ///
    /// Outside ``validYears`` or ``validAltitudes``, the field is extrapolated. The field is NaN if the latitude is
    /// beyond ±90 degrees, if a value is not finite, or if the location is more than 2,800 km below the ellipsoid,
    /// where the field is generated. At the poles, north is the direction along the meridian of `longitude`.
    /// - Parameters:
    ///   - latitude: The geodetic latitude in degrees, positive north (WGS 84).
    ///   - longitude: The longitude in degrees, positive east. Any finite value is reduced modulo 360.
    ///   - altitude: The height in metres above the WGS 84 ellipsoid. The height above mean sea level is accurate
    ///     enough: the difference of at most 110 m changes the field by 0.005 %.
    ///   - year: The decimal year, for example 2026.5.
    ///   - withRates: If false, the changes per year are not computed and are NaN.
    package func field(
        latitude: Double, longitude: Double, altitude: Double, year: Double, withRates: Bool = true
    ) -> MagneticField {
        guard abs(latitude) <= 90, longitude.isFinite, year.isFinite, altitude >= -2_800_000, altitude.isFinite else {
            return MagneticField(field: .nan, rate: .nan, year: year, isModelValid: false)
        }
        let location = GeocentricLocation(latitude: latitude, longitude: longitude, altitude: altitude)
        let years = year - epoch
        let (field, rate) =
            withRates
            ? sums(at: location, years: years, withRates: true) : sums(at: location, years: years, withRates: false)
        return MagneticField(
            field: location.rotatedToEllipsoid(field), rate: withRates ? location.rotatedToEllipsoid(rate) : .nan,
            year: year,
            isModelValid: validYears.contains(year) && Self.validAltitudes.contains(altitude))
    }

    /// Returns the field in the axes of the sphere (north, east, down) and its change per year.
    @inline(__always) private func sums(
        at location: GeocentricLocation, years: Double, withRates: Bool
    ) -> (field: SIMD3<Double>, rate: SIMD3<Double>) {
        let (sinLatitude, cosLatitude) = (location.latitude.sine, location.latitude.cosine)
        let ratio = location.referenceRadiusRatio
        // The functions include a power of `ratio`, so each step to the next degree multiplies them by `ratio`.
        let step = ratio * sinLatitude
        let ratioSquared = ratio * ratio
        var (field, rate) = (FieldSums(), FieldSums())

        // `value` is the Legendre function of order 0. `nextValue` is the Legendre function of order 1, divided by the
        // cosine of the latitude. The derivative of `value` is computed from `nextValue`.
        var (value, before) = (step * ratioSquared, ratioSquared)
        var (nextValue, nextBefore) = (ratio * ratioSquared, 0.0)
        for term in zonal {
            field.add(term.g + years * term.gRate, degree: term.degree, value, derivative: nextValue)
            if withRates { rate.add(term.gRate, degree: term.degree, value, derivative: nextValue) }
            (value, before) = (step * value - ratioSquared * (term.recursion * before), value)
            (nextValue, nextBefore) = (step * nextValue - ratioSquared * (term.nextRecursion * nextBefore), nextValue)
        }

        let twiceLongitude = location.longitude + location.longitude
        var orders = OrderPair(
            angle: SineCosines(location.longitude, twiceLongitude), location: location, last: summedDegree)
        // The Legendre functions of two consecutive orders, each at its lowest degree and divided by the cosine of the
        // latitude.
        let cube: Double = ratioSquared * ratio
        var initial = SIMD2<Double>(cube, ratio * cosLatitude * cube)
        let initialStep = ratio * cosLatitude * (ratio * cosLatitude)
        var first = 0
        var count = summedDegree
        while count > 0 {
            var (fieldSums, rateSums) = (OrderSums(), OrderSums())
            // `value` contains the Legendre functions of the current degree. `before` contains those of the previous
            // degree, multiplied by `ratioSquared`.
            var (value, before) = (initial, SIMD2<Double>.zero)
            for term in sectoral[first..<(first + count)] {
                let below = term.slope * before
                fieldSums.add(term.g + years * term.gRate, term.h + years * term.hRate, value, below)
                if withRates { rateSums.add(term.gRate, term.hRate, value, below) }
                (value, before) = (step * value - term.recursion * below, ratioSquared * value)
            }
            field.add(fieldSums, orders)
            if withRates { rate.add(rateSums, orders) }
            initial *= initialStep
            orders.advance(by: twiceLongitude)
            first += count
            count -= 2
        }
        return (field.vector(cosLatitude), withRates ? rate.vector(cosLatitude) : .zero)
    }
}

/// Two consecutive orders whose terms are summed together. The first order is odd. See ``MagneticModel/sectoral``.
private struct OrderPair {
    /// The longitude multiplied by each of the two orders.
    var angle: SineCosines
    var orders = SIMD2<Double>(1, 2)
    /// One more than the degree of the last term, for each of the two orders.
    let degreesBeyondLast: SIMD2<Double>
    let sinLatitude, radii: Double

    @inline(__always) init(angle: SineCosines, location: GeocentricLocation, last: Int) {
        self.angle = angle
        degreesBeyondLast = SIMD2(Double(last + 1), Double(last + 2))
        sinLatitude = location.latitude.sine
        radii = location.distanceInReferenceRadii
    }

    @inline(__always) mutating func advance(by rotation: SineCosine) {
        angle = angle + rotation
        orders += 2
    }
}

private struct OrderSums {
    /// `g` and `h` are the sums of the terms so far. After each term, `g` is added to `gRunning`, and `h` to
    /// `hRunning`.
    var g = SIMD2<Double>.zero
    var h = SIMD2<Double>.zero
    var gRunning = SIMD2<Double>.zero
    var hRunning = SIMD2<Double>.zero
    /// The sums in which each coefficient is multiplied by the function of the previous degree.
    var gBelow = SIMD2<Double>.zero
    var hBelow = SIMD2<Double>.zero

    @inline(__always)
    mutating func add(_ gTerm: SIMD2<Double>, _ hTerm: SIMD2<Double>, _ value: SIMD2<Double>, _ below: SIMD2<Double>) {
        g += gTerm * value
        h += hTerm * value
        gRunning += g
        hRunning += h
        gBelow += gTerm * below
        hBelow += hTerm * below
    }
}

/// The sums over all orders, either for the field or for its change per year.
private struct FieldSums {
    private var (x, y, z) = (SIMD2<Double>.zero, SIMD2<Double>.zero, SIMD2<Double>.zero)
    /// The sums for order 0. `up` is the component along the radius. `slope` is the component along the meridian,
    /// divided by the cosine of the latitude.
    private var (up, slope) = (0.0, 0.0)

    @inline(__always) mutating func add(_ g: Double, degree: Double, _ value: Double, derivative: Double) {
        let byDegree = degree * g
        up += (byDegree + g) * value
        slope += byDegree * derivative
    }

    @inline(__always) mutating func add(_ sums: OrderSums, _ pair: OrderPair) {
        // In the local `g` and `h`, each term is multiplied by its degree. The running sums contain each term once for
        // its own degree and once for each higher degree. Subtracting them from `degreesBeyondLast` times the plain
        // sums yields the local sums, which saves a multiplication per term.
        let (g, h) = (pair.degreesBeyondLast * sums.g - sums.gRunning, pair.degreesBeyondLast * sums.h - sums.hRunning)
        let (sine, cosine) = (pair.angle.sine, pair.angle.cosine)
        x += cosine * (pair.sinLatitude * g - pair.radii * sums.gBelow)
        x += sine * (pair.sinLatitude * h - pair.radii * sums.hBelow)
        y += pair.orders * (sine * sums.g - cosine * sums.h)
        z += cosine * (g + sums.g) + sine * (h + sums.h)
    }

    @inline(__always) func vector(_ cosLatitude: Double) -> SIMD3<Double> {
        SIMD3(x.sum() - cosLatitude * slope, y.sum(), -up - cosLatitude * z.sum())
    }
}
