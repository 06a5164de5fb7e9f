// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// An angle stored as its sine and cosine, which preserves precision near the poles and the antipodes.
struct SineCosine {
    var sine, cosine: Double

    init(sine: Double, cosine: Double) {
        (self.sine, self.cosine) = (sine, cosine)
    }

    /// Creates the angle of the vector (`x`, `y`), measured from the x axis. The vector must not be zero.
    init(y: Double, x: Double) {
        let length = (x * x + y * y).squareRoot()
        sine = y / length
        cosine = x / length
    }

    init(radians: Double) {
        sine = sin(radians)
        cosine = cos(radians)
    }

    /// Creates the angle `degrees + correction`, in degrees. `degrees` must be within ±180, and the correction must be
    /// tiny. The result is exact at multiples of 90 degrees.
    init(degrees: Double, plus correction: Double = 0) {
        // Subtracts the quadrant first because this subtraction is exact, unlike the conversion to radians.
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

    var radians: Double { atan2(sine, cosine) }

    /// The angle in degrees, from -180 to 180, exact at multiples of 90 degrees.
    var degrees: Double {
        // The arc tangent is applied only within 45 degrees of an axis, which preserves the precision of small angles.
        if abs(sine) <= abs(cosine) {
            let angleFromAxis = atan2(sine, abs(cosine)) / degree
            if cosine >= 0 { return angleFromAxis }
            return (sine < 0 ? -180 : 180) - angleFromAxis
        }
        let angleFromAxis = atan2(cosine, abs(sine)) / degree
        return sine < 0 ? angleFromAxis - 90 : 90 - angleFromAxis
    }

    static prefix func - (angle: SineCosine) -> SineCosine { SineCosine(sine: -angle.sine, cosine: angle.cosine) }

    static func + (left: SineCosine, right: SineCosine) -> SineCosine {
        SineCosine(
            sine: left.sine * right.cosine + left.cosine * right.sine,
            cosine: left.cosine * right.cosine - left.sine * right.sine)
    }

    static func - (left: SineCosine, right: SineCosine) -> SineCosine { left + (-right) }

    /// A tiny value for a sine or cosine that must not be zero, because zero would leave a direction undefined. Its
    /// square does not underflow.
    static var tiny: Double { 0x1p-511 }
}

private var degree: Double { Double.pi / 180 }
