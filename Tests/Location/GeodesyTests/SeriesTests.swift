// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Geodesy

/// Compares the coefficients of the series with Fourier coefficients of the integrals that they approximate.
///
/// On the earth, the last terms are smaller than rounding errors, so no distance would reveal a wrong digit in them.
/// These tests use a larger expansion parameter. When it is halved, the error of every coefficient must decrease at
/// least as fast as the first omitted power. (With a wrong last term, it would decrease by one power less.)
@Suite("Series of the geodesic integrals")
struct SeriesTests {
    /// Returns the exact mean of a function of `σ` with period π, and its cosine coefficients of `2σ`, `4σ`, ...
    private static func cosines(_ function: (Double) -> Double) -> [Double] {
        // For a smooth periodic function, the trapezoidal rule is exact to rounding errors.
        let count = 64
        return (0...24).map { k in
            let terms = (0..<count).map { index in
                let sigma = Double.pi * Double(index) / Double(count)
                return function(sigma) * cos(2 * Double(k) * sigma)
            }
            return terms.reduce(0, +) / Double(count) * (k == 0 ? 1 : 2)
        }
    }

    /// Returns the mean of the integrand and the sine coefficients of the integral's periodic part.
    private static func integrated(_ integrand: (Double) -> Double) -> (mean: Double, sines: [Double]) {
        let cosines = cosines(integrand)
        return (cosines[0], (1...24).map { cosines[$0] / (2 * Double($0)) })
    }

    /// `√(1 + k² sin² σ)`, with `k²` from `ε = (√(1 + k²) - 1) / (√(1 + k²) + 1)`.
    private static func root(_ epsilon: Double, _ sigma: Double) -> Double {
        sqrt(1 + 4 * epsilon / ((1 - epsilon) * (1 - epsilon)) * sin(sigma) * sin(sigma))
    }

    private static func array(_ series: SineSeries) -> [Double] {
        [series.c1, series.c2, series.c3, series.c4, series.c5, series.c6]
    }

    /// Returns the error at `ε` divided by the error at `ε / 2` for each coefficient.
    private static func decay(from epsilon: Double, _ errors: (Double) -> [Double]) -> [Double] {
        zip(errors(epsilon), errors(epsilon / 2)).map { abs($0 / $1) }
    }

    @Test("The distance series is accurate to the sixth order")
    func distance() {
        let decay = Self.decay(from: 0.08) { epsilon in
            let series = DistanceSeries(epsilon: epsilon)
            let (mean, sines) = Self.integrated { Self.root(epsilon, $0) }
            return [series.scale - mean] + zip(Self.array(series.periodic), sines).map { $0 - $1 / mean }
        }
        // 2⁷ = 128, apart from the influence of higher omitted terms.
        for (index, ratio) in decay.enumerated() { #expect(ratio > 110, "coefficient \(index)") }
    }

    @Test("The reverted distance series is accurate to the sixth order")
    func reverted() {
        let decay = Self.decay(from: 0.08) { epsilon in
            let (mean, sines) = Self.integrated { Self.root(epsilon, $0) }
            // (2 / π) ∫ (σ - τ) sin 2kτ dτ, with σ as the variable of integration.
            let reverted = (1...6).map { k in
                Self.cosines { sigma in
                    let periodic = sines.enumerated().map { $1 / mean * sin(2 * Double($0 + 1) * sigma) }.reduce(0, +)
                    return -periodic * sin(2 * Double(k) * (sigma + periodic)) * Self.root(epsilon, sigma) / mean
                }[0] * 2
            }
            return zip(Self.array(DistanceSeries.reverted(epsilon: epsilon)), reverted).map(-)
        }
        for (index, ratio) in decay.enumerated() { #expect(ratio > 110, "coefficient \(index + 1)") }
    }

    @Test("The series for the reduced length is accurate to the sixth order")
    func reducedLength() {
        let decay = Self.decay(from: 0.08) { epsilon in
            let series = ReducedLengthSeries(epsilon: epsilon)
            let (mean, sines) = Self.integrated { Self.root(epsilon, $0) - 1 / Self.root(epsilon, $0) }
            return [series.secular - mean] + zip(Self.array(series.periodic), sines).map { $0 - $1 }
        }
        for (index, ratio) in decay.enumerated() { #expect(ratio > 110, "coefficient \(index)") }
    }

    @Test("The longitude series is accurate to the fifth order; the flattening as its factor adds one")
    func longitude() {
        let f = WGS84.flattening
        let decay = Self.decay(from: 0.02) { epsilon in
            let series = LongitudeSeries(epsilon: epsilon)
            let (mean, sines) = Self.integrated { (2 - f) / (1 + (1 - f) * Self.root(epsilon, $0)) }
            return [series.scale - mean] + zip(Self.array(series.periodic), sines).map { $0 - $1 / mean }
        }
        // 2⁶ = 64, reduced by the omitted terms with ε⁵ n. The sixth coefficient is omitted completely.
        for (index, ratio) in decay.enumerated() { #expect(ratio > 50, "coefficient \(index)") }
    }

    @Test("The parameter of the astroid solves its equation", arguments: [1e-12, 1e-6, 1e-3, 0.1, 0.9, 1.5, 20])
    func astroid(_ y: Double) {
        for x in [-1e-9, -0.01, -0.5, -0.999, -1, -1.001, -1.5, -3] {
            let k = Astroid.parameter(x: x, y: -y)
            let value = x * x / ((1 + k) * (1 + k)) + y * y / (k * k)
            #expect(k > 0 && abs(value - 1) < 1e-3, "x \(x)")
        }
    }
}
