// SPDX-License-Identifier: Apache-2.0

/// Sums and roundings of angles in degrees that lose nothing.
enum DegreeArithmetic {
    /// The same angle between -180 and 180 degrees; exact.
    static func reduced(_ angle: Double) -> Double {
        abs(angle) <= 180 ? angle : angle.remainder(dividingBy: 360)
    }

    /// The angle moved to the grid of 2⁻⁵⁷ degrees when it is small.
    ///
    /// The step is a thousandth of a nanometre on the ground. It keeps products of tiny angles out of the
    /// range where doubles underflow. It turns -0 into 0.
    static func snapped(_ angle: Double) -> Double {
        let grid = 0.0625
        guard abs(angle) < grid else { return angle }
        return angle < 0 ? grid - (grid - angle) : (angle + grid) - grid
    }

    /// `to - from` between -180 and 180 degrees, as a rounded difference and what rounding took away; the two
    /// together stay within 180 degrees.
    static func difference(from: Double, to: Double) -> (rounded: Double, rest: Double) {
        let first = exactSum(reduced(to), -reduced(from))
        let second = exactSum(reduced(first.rounded), first.rest)
        // A hair beyond 180 degrees one way is a hair less the other way.
        if abs(second.rounded) == 180 && second.rest != 0 {
            return (second.rest > 0 ? -180 : 180, second.rest)
        }
        return second
    }

    /// The sum of two numbers as its nearest double and the rounding error, both exact (D. E. Knuth, The Art of
    /// Computer Programming, volume 2, section 4.2.2, theorem B).
    private static func exactSum(_ a: Double, _ b: Double) -> (rounded: Double, rest: Double) {
        let sum = a + b
        let bPart = sum - a
        let aPart = sum - bPart
        return (sum, (a - aPart) + (b - bPart))
    }
}
