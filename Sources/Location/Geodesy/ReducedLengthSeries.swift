// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The difference of the integrals that give distance and reduced length, `J(σ) = I1(σ) - I2(σ)` (Karney 2013,
/// equations 39 to 43).
///
/// Only the slope for Newton's method is made from it.
struct ReducedLengthSeries {
    /// What grows with the arc, for one radian of it.
    let secular: Double

    /// The periodic part.
    let periodic: SineSeries

    /// Creates the series for a geodesic with expansion parameter `ε` (Karney 2013, equation 16).
    init(epsilon e: Double) {
        let i1 = DistanceSeries(epsilon: e)
        let e2 = e * e
        let e3 = e2 * e
        let e4 = e2 * e2
        let scale = (1 - e) * (1 + e2 * (1 / 4 + e2 * (9 / 64 + e2 * (25 / 256))))
        secular = i1.scale - scale
        periodic = SineSeries(
            c1: i1.scale * i1.periodic.c1 - scale * e * (1 / 2 + e2 * (1 / 16 + e2 * (1 / 32))),
            c2: i1.scale * i1.periodic.c2 - scale * e2 * (3 / 16 + e2 * (1 / 32 + e2 * (35 / 2048))),
            c3: i1.scale * i1.periodic.c3 - scale * e3 * (5 / 48 + e2 * (5 / 256)),
            c4: i1.scale * i1.periodic.c4 - scale * e4 * (35 / 512 + e2 * (7 / 512)),
            c5: i1.scale * i1.periodic.c5 - scale * e4 * e * (63 / 1280),
            c6: i1.scale * i1.periodic.c6 - scale * e4 * e2 * (77 / 2048))
    }

    /// `J(σ2) - J(σ1)`, where `arc` is `σ2 - σ1` in radians.
    func callAsFunction(from start: SineCosine, to end: SineCosine, arc: Double) -> Double {
        secular * arc + (periodic(end) - periodic(start))
    }
}
