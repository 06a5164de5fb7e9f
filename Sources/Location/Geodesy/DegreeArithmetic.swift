// SPDX-License-Identifier: Apache-2.0

/// Exact addition and rounding of angles in degrees.
enum DegreeArithmetic {
    /// Returns the equivalent angle between -180 and 180 degrees, without rounding errors.
    static func reduced(_ angle: Double) -> Double { abs(angle) <= 180 ? angle : angle.remainder(dividingBy: 360) }

    /// Rounds a small angle to a multiple of 2⁻⁵⁷ degrees, which is about a thousandth of a nanometre on the ground.
    /// This prevents products of tiny angles from underflowing, and turns -0 into 0.
    static func rounded(_ angle: Double) -> Double {
        let grid = 0.0625
        guard abs(angle) < grid else { return angle }
        return angle < 0 ? grid - (grid - angle) : (angle + grid) - grid
    }

    /// Returns `to - from`, reduced to the range from -180 to 180 degrees, as a rounded difference and its rounding
    /// error.
    static func difference(from: Double, to: Double) -> (rounded: Double, rest: Double) {
        let first = exactSum(reduced(to), -reduced(from))
        let second = exactSum(reduced(first.rounded), first.rest)
        // If the rounded difference is ±180 degrees, its sign is chosen so that the exact difference stays within ±180
        // degrees.
        if abs(second.rounded) == 180 && second.rest != 0 { return (second.rest > 0 ? -180 : 180, second.rest) }
        return second
    }

    /// Returns the sum of two numbers as the nearest double and the exact rounding error (D. E. Knuth, The Art of
    /// Computer Programming, volume 2, section 4.2.2, theorem B).
    private static func exactSum(_ a: Double, _ b: Double) -> (rounded: Double, rest: Double) {
        let sum = a + b
        let bPart = sum - a
        let aPart = sum - bPart
        return (sum, (a - aPart) + (b - bPart))
    }
}
