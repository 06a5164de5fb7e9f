// SPDX-License-Identifier: Apache-2.0

/// A model of the earth's main magnetic field: spherical harmonics whose coefficients change linearly with time.
///
/// ``wmm2025`` is built in, and ``init(cof:)`` reads other releases. The model covers the earth's core and deep crust,
/// but not nearby iron, the local crust or magnetic storms. ``MagneticField`` states the resulting uncertainties.
///
/// The formulas are from the technical report of the World Magnetic Model (NOAA NCEI and British Geological Survey,
/// section 1.2). The Legendre functions are Gauss-normalised. The recursions yield them already divided by the cosine
/// of the latitude, which avoids a division by zero at the poles.
package struct MagneticModel: Sendable {
    /// The name of the release, for example `WMM-2025`.
    package let name: String
    /// The decimal year that the coefficients refer to.
    package let epoch: Double
    /// The release date as written in the file (month/day/year), or nil if the file has no date.
    package let releaseDate: String?
    /// The highest degree and order of the harmonics, 12 for the World Magnetic Model.
    package let degree: Int
    /// The terms of order 0, sorted by degree, up to ``summedDegree``.
    let zonal: ContiguousArray<ZonalTerm>
    /// The terms of order 1 and above. Each element contains two terms. The first has an odd order, and the second's
    /// order and degree are one higher. The elements are sorted by the order of the first term, then by its degree.
    /// Terms with a degree above ``summedDegree`` are omitted.
    let sectoral: ContiguousArray<MagneticTerms>
    /// The highest degree that has a nonzero term, or 1 if all terms are zero.
    let summedDegree: Int

    /// Creates a model. The rows contain `g` and `h` in nanotesla and their changes per year, Schmidt semi-normalised.
    /// They are sorted by degree, starting at 1, then by order, starting at 0.
    init(name: String, epoch: Double, releaseDate: String?, degree: Int, rows: some RandomAccessCollection<MagneticRow>)
    {
        (self.name, self.epoch, self.releaseDate, self.degree) = (name, epoch, releaseDate, degree)
        // The rows of each order, sorted by degree and scaled for Gauss-normalised functions.
        var orders = [[MagneticRow]](repeating: [], count: degree + 2)
        // The ratio of Schmidt's normalisation to Gauss's, for order 0 of the current degree.
        var zonalScale = 1.0
        var summedDegree = 1
        var rows = rows.makeIterator()
        for n in 1...degree {
            zonalScale *= Double(2 * n - 1) / Double(n)
            var scale = zonalScale
            for m in 0...n {
                if m > 0 { scale *= (Double((n - m + 1) * (m == 1 ? 2 : 1)) / Double(n + m)).squareRoot() }
                let row = rows.next() ?? .zero
                if row != .zero { summedDegree = n }
                orders[m].append(row.scaled(by: scale))
            }
        }
        self.summedDegree = summedDegree
        zonal = ContiguousArray(
            orders[0].prefix(summedDegree).enumerated().map { ZonalTerm(degree: $0.offset + 1, row: $0.element) })
        var sectoral = ContiguousArray<MagneticTerms>()
        for m in stride(from: 1, through: summedDegree, by: 2) {
            for step in 0...(summedDegree - m) {
                let second = orders[m + 1].indices.contains(step) ? orders[m + 1][step] : .zero
                sectoral.append(MagneticTerms(order: m, step: step, row: orders[m][step], second: second))
            }
        }
        self.sectoral = sectoral
    }

    /// The decimal years in which the model is valid: five years from its epoch.
    package var validYears: ClosedRange<Double> { epoch...(epoch + 5) }

    /// The heights at which the model is valid, in metres above the ellipsoid.
    package static var validAltitudes: ClosedRange<Double> { -1_000...850_000 }
}

/// A row of a coefficient file, without degree and order, in nanotesla and nanotesla per year.
struct MagneticRow: Equatable, Sendable {
    var g, h, gRate, hRate: Double

    static var zero: MagneticRow { MagneticRow(g: 0, h: 0, gRate: 0, hRate: 0) }

    func scaled(by scale: Double) -> MagneticRow {
        MagneticRow(g: g * scale, h: h * scale, gRate: gRate * scale, hRate: hRate * scale)
    }
}

/// Two harmonics whose orders and degrees differ by one, and their location-independent factors.
struct MagneticTerms: Sendable, Equatable {
    /// The coefficients for Gauss-normalised functions, in nanotesla and nanotesla per year.
    let g, h, gRate, hRate: SIMD2<Double>
    /// The factor `slope` in the derivative `sin θ dP(n)/dθ = n cos θ P(n) - slope P(n-1)`.
    let slope: SIMD2<Double>
    /// The factor `recursion` in the recursion `P(n+1) = cos θ P(n) - recursion · slope P(n-1)`.
    let recursion: SIMD2<Double>

    /// `step` is the degree of the first harmonic minus its order.
    init(order m: Int, step: Int, row: MagneticRow, second: MagneticRow) {
        g = SIMD2(row.g, second.g)
        h = SIMD2(row.h, second.h)
        gRate = SIMD2(row.gRate, second.gRate)
        hRate = SIMD2(row.hRate, second.hRate)
        let n = m + step
        func slope(_ n: Int, _ m: Int) -> Double { Double((n - m) * (n + m)) / Double(2 * n - 1) }
        self.slope = SIMD2(slope(n, m), slope(n + 1, m + 1))
        recursion = 1 / SIMD2(Double(2 * n + 1), Double(2 * n + 3))
    }
}

/// A harmonic of order 0 and its location-independent factors. The derivative of its function is a multiple of the
/// function of order 1 and the same degree, so both functions are computed together.
struct ZonalTerm: Sendable, Equatable {
    let g, gRate, degree: Double
    /// The factor in the recursion `P(n+1) = cos θ P(n) - recursion P(n-1)`. `nextRecursion` is the corresponding
    /// factor for order 1.
    let recursion, nextRecursion: Double

    init(degree n: Int, row: MagneticRow) {
        g = row.g
        gRate = row.gRate
        degree = Double(n)
        recursion = Double(n * n) / Double((2 * n - 1) * (2 * n + 1))
        nextRecursion = Double((n - 1) * (n + 1)) / Double((2 * n - 1) * (2 * n + 1))
    }
}
