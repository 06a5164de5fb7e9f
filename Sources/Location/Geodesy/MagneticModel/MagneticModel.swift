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

    /// The terms of order 0, and those of order 1 of the same degrees beside them, by degree.
    let zonal: ContiguousArray<ZonalTerm>

    /// The terms of the orders from 2, order by order, each by degree.
    let sectoral: ContiguousArray<MagneticTerm>

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
        var zonal = ContiguousArray<ZonalTerm>()
        var sectoral = ContiguousArray<[MagneticTerm]>(repeating: [], count: degree + 1)
        // Schmidt's normalisation over that of Gauss, for order 0 of the degree at hand.
        var zonalScale = 1.0
        var rows = rows.makeIterator()
        for n in 1...degree {
            zonalScale *= Double(2 * n - 1) / Double(n)
            var scale = zonalScale
            var zonalRow = MagneticRow.zero
            for m in 0...n {
                let row = rows.next() ?? .zero
                if m == 0 {
                    zonalRow = row
                    continue
                }
                scale *= (Double((n - m + 1) * (m == 1 ? 2 : 1)) / Double(n + m)).squareRoot()
                let term = MagneticTerm(degree: n, order: m, row: row, scale: scale)
                if m == 1 {
                    zonal.append(ZonalTerm(degree: n, row: zonalRow, scale: zonalScale, next: term))
                } else {
                    sectoral[m].append(term)
                }
            }
        }
        self.zonal = zonal
        self.sectoral = ContiguousArray(sectoral.joined())
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
}

/// A harmonic, with what does not depend on the place.
struct MagneticTerm: Sendable, Equatable {
    /// `g` and its rate, and `h` and its rate, for Gauss-normalised functions.
    let g: SIMD2<Double>
    let h: SIMD2<Double>

    /// The degree.
    let degree: Double

    /// The weight of the function two degrees lower in the recursion `P(n) = cos θ P(n-1) - recursion P(n-2)`.
    let recursion: Double

    /// The weight in the derivative `sin θ dP(n)/dθ = n cos θ P(n) - slope P(n-1)`.
    let slope: Double

    init(degree n: Int, order m: Int, row: MagneticRow, scale: Double) {
        g = SIMD2(row.g, row.gRate) * scale
        h = SIMD2(row.h, row.hRate) * scale
        degree = Double(n)
        recursion = Self.recursion(degree: n, order: m)
        slope = Double((n - m) * (n + m)) / Double(2 * n - 1)
    }

    /// Zero for the two lowest degrees of an order, whose predecessors are missing.
    static func recursion(degree n: Int, order m: Int) -> Double {
        guard n >= m + 2 else { return 0 }
        let above: Int = (n - 1 - m) * (n - 1 + m)
        let below: Int = (2 * n - 1) * (2 * n - 3)
        return Double(above) / Double(below)
    }
}

/// A harmonic of order 0 and the one of order 1 and the same degree, whose function is the derivative of the former's.
struct ZonalTerm: Sendable, Equatable {
    /// `g` and its rate, for Gauss-normalised functions.
    let g: SIMD2<Double>

    /// The weight in the recursion of order 0.
    let recursion: Double

    /// The term of order 1.
    let next: MagneticTerm

    init(degree n: Int, row: MagneticRow, scale: Double, next: MagneticTerm) {
        g = SIMD2(row.g, row.gRate) * scale
        recursion = MagneticTerm.recursion(degree: n, order: 0)
        self.next = next
    }
}
