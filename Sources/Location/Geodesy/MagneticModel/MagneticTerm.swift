// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
        n < m + 2 ? 0 : Double((n - 1 - m) * (n - 1 + m)) / Double((2 * n - 1) * (2 * n - 3))
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
