// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The relation between distance along a geodesic and arc length on the auxiliary sphere:
/// `s / b = A1 (σ + B1(σ))` (Karney 2013, equations 7, 15, 17 and 18).
struct DistanceSeries {
    /// `A1`, the mean distance for one radian of arc in units of the polar radius.
    let scale: Double

    /// `B1`, the periodic part of the distance.
    let periodic: SineSeries

    /// Creates the series for a geodesic with expansion parameter `ε` (Karney 2013, equation 16).
    init(epsilon e: Double) {
        let e2 = e * e
        let e3 = e2 * e
        let e4 = e2 * e2
        scale = (1 + e2 * (1 / 4 + e2 * (1 / 64 + e2 * (1 / 256)))) / (1 - e)
        periodic = SineSeries(
            c1: e * (-1 / 2 + e2 * (3 / 16 - e2 * (1 / 32))),
            c2: e2 * (-1 / 16 + e2 * (1 / 32 - e2 * (9 / 2048))),
            c3: e3 * (-1 / 48 + e2 * (3 / 256)),
            c4: e4 * (-5 / 512 + e2 * (3 / 512)),
            c5: e4 * e * (-7 / 1280),
            c6: e4 * e2 * (-7 / 2048))
    }

    /// The reverted series `B1'`: `σ = τ + B1'(τ)` for the distance `τ = s / (b A1)` (Karney 2013, equations 20
    /// and 21).
    static func reverted(epsilon e: Double) -> SineSeries {
        let e2 = e * e
        let e3 = e2 * e
        let e4 = e2 * e2
        return SineSeries(
            c1: e * (1 / 2 + e2 * (-9 / 32 + e2 * (205 / 1536))),
            c2: e2 * (5 / 16 + e2 * (-37 / 96 + e2 * (1335 / 4096))),
            c3: e3 * (29 / 96 - e2 * (75 / 128)),
            c4: e4 * (539 / 1536 - e2 * (2391 / 2560)),
            c5: e4 * e * (3467 / 7680),
            c6: e4 * e2 * (38081 / 61440))
    }
}
