// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// An angle, or a point of the unit circle, held as its sine and cosine.
///
/// The geodesic formulas need hardly anything else of an angle, and in this form no precision is lost near the
/// poles or the antipodes.
struct SineCosine {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// The angle of the vector (`x`, `y`) of any length but zero, counted from the x axis.
    init(y: Double, x: Double) {
        let length = (x * x + y * y).squareRoot()
        sine = y / length
        cosine = x / length
    }

    init(radians: Double) {
        sine = sin(radians)
        cosine = cos(radians)
    }

    /// The angle, from -180 to 180 degrees, plus a tiny correction in degrees; exact at multiples of 90 degrees.
    init(degrees: Double, plus correction: Double = 0) {
        // The quadrant is taken off first because that subtraction is exact, unlike a conversion to radians.
        let quadrant = (degrees / 90).rounded(.toNearestOrEven)
        let radians = (degrees - quadrant * 90 + correction) * degree
        let s = sin(radians)
        let c = cos(radians)
        switch quadrant {
        case 0: (sine, cosine) = (s, c)
        case 1: (sine, cosine) = (c, -s)
        case -1: (sine, cosine) = (-c, s)
        default: (sine, cosine) = (-s, -c)
        }
    }

    var radians: Double {
        atan2(sine, cosine)
    }

    /// The angle in degrees, from -180 to 180; exact at multiples of 90 degrees.
    var degrees: Double {
        // The arc tangent is only taken within 45 degrees of an axis: near the axes small angles keep their precision.
        if abs(sine) <= abs(cosine) {
            let fromAxis = atan2(sine, abs(cosine)) / degree
            if cosine >= 0 { return fromAxis }
            return (sine < 0 ? -180 : 180) - fromAxis
        }
        let fromAxis = atan2(cosine, abs(sine)) / degree
        return sine < 0 ? fromAxis - 90 : 90 - fromAxis
    }

    static prefix func - (angle: SineCosine) -> SineCosine {
        SineCosine(sine: -angle.sine, cosine: angle.cosine)
    }

    static func + (left: SineCosine, right: SineCosine) -> SineCosine {
        SineCosine(
            sine: left.sine * right.cosine + left.cosine * right.sine,
            cosine: left.cosine * right.cosine - left.sine * right.sine)
    }

    static func - (left: SineCosine, right: SineCosine) -> SineCosine {
        left + (-right)
    }
}

/// One degree in radians.
private var degree: Double { Double.pi / 180 }

extension SineCosine {
    /// A sine that stands for zero where zero itself would make a direction undefined; its square does not underflow.
    static var tiny: Double { 0x1p-511 }
}
