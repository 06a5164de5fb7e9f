// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The relation between longitude on the ellipsoid and on the auxiliary sphere:
/// `λ = ω - f sin α0 A3 (σ + B3(σ))` (Karney 2013, equations 8, 23, 24 and 25).
struct LongitudeSeries {
    /// `A3`, the mean rate of the longitude correction.
    let scale: Double

    /// `B3`, the periodic part of the longitude correction.
    let periodic: SineSeries

    /// Creates the series for a geodesic with expansion parameter `ε` (Karney 2013, equation 16).
    init(epsilon e: Double) {
        let n = WGS84.thirdFlattening
        let e2 = e * e
        let e3 = e2 * e
        scale = Self.scale(epsilon: e)
        periodic = SineSeries(
            c1: e
                * ((1 - n) / 4
                    + e * ((1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * (3 / 128))))),
            c2: e2
                * ((2 + n * (n - 3)) / 32
                    + e * ((3 - n * (2 + 3 * n)) / 64 + e * ((3 + n) / 128 + e * (5 / 256)))),
            c3: e3 * ((5 + n * (5 * n - 9)) / 192 + e * ((9 - 10 * n) / 384 + e * (7 / 512))),
            c4: e3 * e * ((7 - 14 * n) / 512 + e * (7 / 512)),
            c5: e3 * e2 * (21 / 2560),
            c6: 0)
    }

    /// `A3` alone.
    static func scale(epsilon e: Double) -> Double {
        let n = WGS84.thirdFlattening
        let tail = e * ((3 + 2 * n) / 64 + e * (3 / 128))
        return 1 - e * ((1 - n) / 2 + e * ((2 + n * (1 - 3 * n)) / 8 + e * ((1 + n * (3 + n)) / 16 + tail)))
    }

    /// `A3 (σ2 + B3(σ2) - σ1 - B3(σ1))`, where `arc` is `σ2 - σ1` in radians.
    func callAsFunction(from start: SineCosine, to end: SineCosine, arc: Double) -> Double {
        scale * (arc + (periodic(end) - periodic(start)))
    }
}
