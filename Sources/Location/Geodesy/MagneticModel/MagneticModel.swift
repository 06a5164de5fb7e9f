// SPDX-License-Identifier: Apache-2.0

/// A model of the earth's main magnetic field: spherical harmonics that drift linearly for the years after an epoch.
///
/// ``wmm2025`` is built in; ``init(cof:)`` reads a newer release. The field is the one that the core and the deep crust
/// make. Iron nearby, the local crust and magnetic storms come on top of it; the uncertainties of ``MagneticField`` say
/// how much that usually is.
///
/// The formulas are those of the technical report of the World Magnetic Model (NOAA NCEI and British Geological
/// Survey, section 1.2). They are evaluated here with Gauss-normalised Legendre functions divided by the cosine of the
/// latitude, so that nothing is divided by zero at the poles.
///
/// Values are immutable and can be used from any thread. A call allocates nothing.
package struct MagneticModel: Sendable {
    /// The name that the release gives itself, such as `WMM-2025`.
    package let name: String

    /// The decimal year that the coefficients belong to.
    package let epoch: Double

    /// The date behind the name in the file, as it stands there (month/day/year); nil where there is none.
    package let releaseDate: String?

    /// The highest degree and order of the harmonics; 12 for the World Magnetic Model.
    package let degree: Int

    /// The terms of order 0, by degree.
    let zonal: ContiguousArray<ZonalTerm>

    /// The terms of the other orders, an odd one and the next beside each other: by order, each by degree up to
    /// ``summedDegree`` for the odd one.
    let sectoral: ContiguousArray<MagneticTerms>

    /// The highest degree of a term that is not zero; 1 where all are.
    let summedDegree: Int

    /// Creates a model of rows in the order of a COF file: degree by degree, order 0 first.
    ///
    /// - Parameter rows: `g`, `h` in nanotesla and their changes a year, Schmidt semi-normalised; one row for each
    ///   degree from 1 and each order.
    init(name: String, epoch: Double, releaseDate: String?, degree: Int, rows: some RandomAccessCollection<MagneticRow>)
    {
        self.name = name
        self.epoch = epoch
        self.releaseDate = releaseDate
        self.degree = degree
        // Of each order from 0 the rows by degree, for functions that are normalised as Gauss has them.
        var orders = [[MagneticRow]](repeating: [], count: degree + 2)
        // Schmidt's normalisation over that of Gauss, for order 0 of the degree at hand.
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

    /// The decimal years that the model is made for: five from its epoch.
    package var validYears: ClosedRange<Double> { epoch...(epoch + 5) }

    /// The heights that the model is made for, in metres above the ellipsoid: 1 km below it to 850 km above.
    package static var validAltitudes: ClosedRange<Double> { -1_000...850_000 }
}

/// A row of a coefficient file without its degree and order: nanotesla, and nanotesla a year.
struct MagneticRow: Equatable, Sendable {
    var g: Double
    var h: Double
    var gRate: Double
    var hRate: Double

    static var zero: MagneticRow { MagneticRow(g: 0, h: 0, gRate: 0, hRate: 0) }

    func scaled(by scale: Double) -> MagneticRow {
        MagneticRow(g: g * scale, h: h * scale, gRate: gRate * scale, hRate: hRate * scale)
    }
}

/// Two harmonics beside each other, the second of the next order and degree, with what does not depend on the place.
struct MagneticTerms: Sendable, Equatable {
    /// For functions that are normalised as Gauss has them: nanotesla, and nanotesla a year.
    let g: SIMD2<Double>
    let h: SIMD2<Double>
    let gRate: SIMD2<Double>
    let hRate: SIMD2<Double>

    /// The weight in the derivative `sin θ dP(n)/dθ = n cos θ P(n) - slope P(n-1)`.
    let slope: SIMD2<Double>

    /// The weight of the above in the recursion `P(n+1) = cos θ P(n) - recursion · slope P(n-1)`.
    let recursion: SIMD2<Double>

    /// - Parameter step: How many degrees above the lowest of its order.
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

/// A harmonic of order 0, with what does not depend on the place. The derivative of its function is that of order 1 and
/// the same degree, so that both go side by side.
struct ZonalTerm: Sendable, Equatable {
    /// For functions that are normalised as Gauss has them: nanotesla, and nanotesla a year.
    let g: Double
    let gRate: Double

    let degree: Double

    /// The weight in the recursion `P(n+1) = cos θ P(n) - recursion P(n-1)`, and the one of order 1.
    let recursion: Double
    let nextRecursion: Double

    init(degree n: Int, row: MagneticRow) {
        g = row.g
        gRate = row.gRate
        degree = Double(n)
        recursion = Double(n * n) / Double((2 * n - 1) * (2 * n + 1))
        nextRecursion = Double((n - 1) * (n + 1)) / Double((2 * n - 1) * (2 * n + 1))
    }
}
