// SPDX-License-Identifier: Apache-2.0

extension SIMD3<Double> {
    package var isFinite: Bool {
        // A finite component times zero is zero, and an infinite or NaN component times zero is NaN. The sum is
        // therefore zero only if all components are finite.
        (self * 0).sum() == 0
    }

    package var squaredLength: Double { (self * self).sum() }

    package var length: Double { squaredLength.squareRoot() }
}

/// Three-dimensional vectors, padded to four lanes so that they can be kept in SIMD registers.
extension SIMD4<Double> {
    @inline(__always) func dot(_ other: SIMD4<Double>) -> Double { x * other.x + y * other.y + z * other.z }

    /// Returns the cross product of the first three lanes. The fourth lane is zero.
    @inline(__always) func cross(_ other: SIMD4<Double>) -> SIMD4<Double> {
        let first = y * other.z - z * other.y
        let second = z * other.x - x * other.z
        let third = x * other.y - y * other.x
        return SIMD4(first, second, third, 0)
    }

    /// Returns the first three lanes clamped to -limit ... limit. The fourth lane is zero.
    @inline(__always) func limited(to limit: Double) -> SIMD4<Double> {
        SIMD4(x.limited(to: limit), y.limited(to: limit), z.limited(to: limit), 0)
    }
}

extension Double {
    @inline(__always) func limited(to limit: Double) -> Double { self > limit ? limit : self < -limit ? -limit : self }
}
