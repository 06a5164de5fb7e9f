// SPDX-License-Identifier: Apache-2.0

/// A sum of sines, `c1 sin 2σ + ... + c6 sin 12σ`. The coefficients are separate properties to avoid an allocation and
/// bounds checks.
struct SineSeries {
    var c1, c2, c3, c4, c5, c6: Double

    /// Evaluates the sum using Clenshaw's recurrence.
    func callAsFunction(_ angle: SineCosine) -> Double {
        let twiceCosine = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)
        let b5 = c5 + twiceCosine * c6
        let b4 = c4 + twiceCosine * b5 - c6
        let b3 = c3 + twiceCosine * b4 - b5
        let b2 = c2 + twiceCosine * b3 - b4
        let b1 = c1 + twiceCosine * b2 - b3
        return 2 * angle.sine * angle.cosine * b1
    }
}

/// The relation between distance along a geodesic and arc length on the auxiliary sphere:
/// `s / b = A1 (σ + B1(σ))` (Karney 2013, equations 7, 15, 17 and 18).
struct DistanceSeries {
    /// `A1`, the mean distance per radian of arc, in units of the polar radius.
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

    /// Returns `B1'`, for which `σ = τ + B1'(τ)` with `τ = s / (b A1)` (Karney 2013, equations 20 and 21).
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

/// The relation between longitude on the ellipsoid and on the auxiliary sphere:
/// `λ = ω - f sin α0 A3 (σ + B3(σ))` (Karney 2013, equations 8, 23, 24 and 25).
struct LongitudeSeries {
    /// `A3`, the mean rate of the longitude correction.
    let scale: Double
    /// `B3`, the periodic part of the longitude correction.
    let periodic: SineSeries

    init(epsilon e: Double) {
        let n = WGS84.thirdFlattening
        let e2 = e * e
        let e3 = e2 * e
        scale = Self.scale(epsilon: e)
        periodic = SineSeries(
            c1: e
                * ((1 - n) / 4
                    + e * ((1 - n * n) / 8 + e * ((3 + n * (3 - n)) / 64 + e * ((5 + 2 * n) / 128 + e * (3 / 128))))),
            c2: e2 * ((2 + n * (n - 3)) / 32 + e * ((3 - n * (2 + 3 * n)) / 64 + e * ((3 + n) / 128 + e * (5 / 256)))),
            c3: e3 * ((5 + n * (5 * n - 9)) / 192 + e * ((9 - 10 * n) / 384 + e * (7 / 512))),
            c4: e3 * e * ((7 - 14 * n) / 512 + e * (7 / 512)),
            c5: e3 * e2 * (21 / 2560),
            c6: 0)
    }

    static func scale(epsilon e: Double) -> Double {
        let n = WGS84.thirdFlattening
        let tail = e * ((3 + 2 * n) / 64 + e * (3 / 128))
        return 1 - e * ((1 - n) / 2 + e * ((2 + n * (1 - 3 * n)) / 8 + e * ((1 + n * (3 + n)) / 16 + tail)))
    }

    /// Returns `A3 (σ2 + B3(σ2) - σ1 - B3(σ1))`, where `arc` is `σ2 - σ1` in radians.
    func callAsFunction(from start: SineCosine, to end: SineCosine, arc: Double) -> Double {
        scale * (arc + (periodic(end) - periodic(start)))
    }
}

/// `J(σ) = I1(σ) - I2(σ)`, the difference between the integrals for distance and reduced length (Karney 2013, equations
/// 39 to 43). Used only to compute the slope in Newton's method.
struct ReducedLengthSeries {
    /// The linear part of `J`, per radian of arc.
    let secular: Double
    let periodic: SineSeries

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

    /// Returns `J(σ2) - J(σ1)`, where `arc` is `σ2 - σ1` in radians.
    func callAsFunction(from start: SineCosine, to end: SineCosine, arc: Double) -> Double {
        secular * arc + (periodic(end) - periodic(start))
    }
}
