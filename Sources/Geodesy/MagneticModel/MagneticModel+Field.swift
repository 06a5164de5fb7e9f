// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension MagneticModel {
    /// The field at a place and a time.
    ///
    /// Outside ``validYears`` or ``validAltitudes`` the formulas are continued, and ``MagneticField/isModelValid`` is
    /// false. What is no place or no time at all - a latitude beyond ±90 degrees, anything that is not finite, a height
    /// more than 2,800 km below the ellipsoid, where the field has its source - gives a field of NaN.
    ///
    /// At the poles north is where the given longitude's meridian points, as a traveller along it would have it.
    ///
    /// - Parameters:
    ///   - latitude: the geodetic latitude in degrees, north positive (WGS 84).
    ///   - longitude: the longitude in degrees, east positive; any number, taken modulo 360.
    ///   - altitude: metres above the WGS 84 ellipsoid. The height above mean sea level does as well: the difference of
    ///     at most 110 m is 0.005 % of the field.
    ///   - year: the decimal year, such as 2026.5; see ``DecimalYear``.
    public func field(latitude: Double, longitude: Double, altitude: Double, year: Double) -> MagneticField {
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

    /// The field at the epoch and its change a year, north, east and down as a sphere has them.
    private func sums(
        at place: SphericalPlace
    ) -> (x: SIMD2<Double>, y: SIMD2<Double>, z: SIMD2<Double>) {
        let (sinLatitude, cosLatitude) = (place.latitude.sine, place.latitude.cosine)
        let ratio = place.ratio
        // One step up in degree brings another power of the ratio of the radii.
        let step = ratio * sinLatitude
        let ratioSquared = ratio * ratio
        let meridian = place.longitude

        // Orders 0 and 1. `even` is the function of order 0, `odd` that of order 1 over the cosine of the latitude.
        var (even, evenBefore) = (ratioSquared, 0.0)
        var (odd, oddBefore) = (0.0, 0.0)
        var (zonalSlope, zonalUp) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
        var (plain, byDegree, below) = (SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero)
        var seed = ratioSquared * ratio
        var isFirst = true
        for term in zonal {
            (even, evenBefore) = (step * even - term.recursion * ratioSquared * evenBefore, even)
            let next = isFirst ? seed : step * odd - term.next.recursion * ratioSquared * oddBefore
            (odd, oddBefore) = (next, odd)
            isFirst = false
            let oddByDegree = term.next.degree * odd
            zonalSlope += oddByDegree * term.coefficients
            zonalUp += (term.next.degree + 1) * even * term.coefficients
            plain += odd * term.next.coefficients
            byDegree += oddByDegree * term.next.coefficients
            below += term.next.slope * oddBefore * term.next.coefficients
        }
        var angle = meridian
        var slope = sinLatitude * byDegree - ratio * below
        var up = byDegree + plain
        var x = angle.along(slope) - cosLatitude * zonalSlope
        var z = angle.along(up)
        var y = angle.across(plain)

        // The other orders.
        var index = 0
        var order = 2
        while order <= degree {
            seed *= ratio * cosLatitude
            angle = angle + meridian
            var (value, before) = (seed, 0.0)
            (plain, byDegree, below) = (.zero, .zero, .zero)
            for n in order...degree {
                let term = sectoral[index]
                index += 1
                if n > order {
                    (value, before) = (step * value - term.recursion * ratioSquared * before, value)
                }
                plain += value * term.coefficients
                byDegree += term.degree * value * term.coefficients
                below += term.slope * before * term.coefficients
            }
            slope = sinLatitude * byDegree - ratio * below
            up = byDegree + plain
            x += angle.along(slope)
            z += angle.along(up)
            y += Double(order) * angle.across(plain)
            order += 1
        }
        return (x, y, -zonalUp - cosLatitude * z)
    }
}

extension SineCosine {
    /// `g cos + h sin` of coefficients and of their rates.
    @inline(__always) fileprivate func along(_ sums: SIMD4<Double>) -> SIMD2<Double> {
        cosine * sums.lowHalf + sine * sums.highHalf
    }

    /// `g sin - h cos` of coefficients and of their rates.
    @inline(__always) fileprivate func across(_ sums: SIMD4<Double>) -> SIMD2<Double> {
        sine * sums.lowHalf - cosine * sums.highHalf
    }
}
