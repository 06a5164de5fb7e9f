// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The first step of the inverse problem: the solution for very close points, or a starting value for Newton's method.
extension ReducedInverse {
    enum Estimate {
        /// The final solution. The points are so close together that the spherical solution has full precision.
        case solved(Path)

        /// The departure azimuth from which Newton's method starts.
        case azimuth(SineCosine)
    }

    /// Returns a first estimate of the departure azimuth (Karney 2013, section 5).
    func estimate() -> Estimate {
        let difference = end.angle - start.angle
        let sum = end.angle + start.angle

        // For short lines, the radius of the sphere is adapted to the mean latitude (equation 48).
        let isShort = difference.cosine >= 0 && difference.sine < 0.5 && end.cosine * longitude < 0.5
        var omega = longitudeAngle
        var lengthScale = 1.0
        if isShort {
            let sine = start.sine + end.sine
            let cosine = start.cosine + end.cosine
            let meanSquare = sine * sine / (sine * sine + cosine * cosine)
            lengthScale = (1 + WGS84.secondEccentricitySquared * meanSquare).squareRoot()
            omega = SineCosine(radians: longitude / ((1 - WGS84.flattening) * lengthScale))
        }

        // Equations 49 to 51, with 1 - cos ω and 1 + cos ω rewritten to avoid cancellation.
        let sine = end.cosine * omega.sine
        let square = omega.sine * omega.sine
        let cosine =
            omega.cosine >= 0
            ? difference.sine + end.cosine * start.sine * square / (1 + omega.cosine)
            : sum.sine - end.cosine * start.sine * square / (1 - omega.cosine)
        let arcSine = (sine * sine + cosine * cosine).squareRoot()
        let arcCosine = start.sine * end.sine + start.cosine * end.cosine * omega.cosine

        if isShort && arcSine < Self.sphericalArc {
            let versine = omega.cosine >= 0 ? square / (1 + omega.cosine) : 1 - omega.cosine
            let arrival = SineCosine(
                y: start.cosine * omega.sine, x: difference.sine - start.cosine * end.sine * versine)
            let distance = atan2(arcSine, arcCosine) * WGS84.semiMinorAxis * lengthScale
            let departure = SineCosine(y: sine, x: cosine)
            return .solved(Path(distance: distance, departure: departure, arrival: arrival))
        }
        let antipodalArc = 6 * WGS84.thirdFlattening * .pi * start.cosine * start.cosine
        if arcCosine >= 0 || arcSine >= antipodalArc { return .azimuth(Self.eastward(sine: sine, cosine: cosine)) }
        return .azimuth(antipodalEstimate(latitudeSum: sum.sine))
    }

    /// Returns an estimate of the departure azimuth for nearly antipodal points. It is computed from the astroid that
    /// the geodesics touch near the antipode (Karney 2013, equations 52 to 57).
    private func antipodalEstimate(latitudeSum: Double) -> SineCosine {
        let epsilon = GreatCircle.epsilon(cosineSquared: start.sine * start.sine)
        let longitudeScale = WGS84.flattening * start.cosine * LongitudeSeries.scale(epsilon: epsilon) * .pi
        let x = -supplement / longitudeScale
        let y = latitudeSum / (longitudeScale * start.cosine)

        // On the x axis inside the astroid, the general equation has several solutions. This formula gives the shortest
        // path.
        if y > -200 * Double.ulpOfOne && x > -1 - 1000 * 0x1p-26 {
            let sine = min(1, -x)
            return SineCosine(sine: sine, cosine: -(1 - sine * sine).squareRoot())
        }
        let k = Astroid.parameter(x: x, y: y)
        let omega = SineCosine(radians: longitudeScale * -x * k / (1 + k))
        let curve = end.cosine * start.sine * omega.sine * omega.sine / (1 + omega.cosine)
        return Self.eastward(sine: end.cosine * omega.sine, cosine: latitudeSum - curve)
    }

    /// Returns the direction of a vector, or due east if rounding has moved the vector out of the eastern half-plane.
    private static func eastward(sine: Double, cosine: Double) -> SineCosine {
        sine > 0 ? SineCosine(y: sine, x: cosine) : SineCosine(sine: 1, cosine: 0)
    }

    /// The longest arc that is solved on the sphere, in radians. It corresponds to about 0.2 m. For shorter arcs, the
    /// adapted sphere differs from the ellipsoid by less than the rounding errors.
    private static var sphericalArc: Double { 3.6e-8 }
}

/// The plane problem for nearly antipodal points: lines that touch an astroid (Karney 2013, figure 5).
enum Astroid {
    /// Returns the positive root `k` of `x² / (1 + k)² + y² / k² = 1` (Karney 2013, equation 55), accurate enough to
    /// start Newton's method on the ellipsoid.
    ///
    /// For `k > 0`, the left side is decreasing and convex. Newton's method therefore never overshoots the root if it
    /// starts below it. The starting value is the largest of several values below the root:
    ///
    /// - `|y|` and `|x| - 1` are below the root, because at each of these values, one of the two terms on the left side
    ///   is already 1.
    /// - Because `(1 + k)⁻² ≥ 1 - 2k`, every `k` with `(1 - x²) k² + 2 x² k³ ≤ y²` is below the root.
    ///
    /// Even near the cusps, the starting value is within a small factor of the root.
    static func parameter(x: Double, y: Double) -> Double {
        let x2 = x * x
        let y2 = y * y
        var k = max(abs(y), abs(x) - 1)
        let inner = max(0, 1 - x2)
        // This starting value makes each of the terms `(1 - x²) k²` and `2 x² k³` at most half of `y²`.
        k = max(k, min((y2 / (2 * inner)).squareRoot(), cbrt(y2 / (4 * x2))))
        guard k > 0, k.isFinite else { return 0 }
        for _ in 0..<6 {
            let a = x2 / ((1 + k) * (1 + k))
            let b = y2 / (k * k)
            let step = (a + b - 1) / (2 * (a / (1 + k) + b / k))
            k += step
            if !(step > 1e-6 * k) { break }
        }
        return k
    }
}
