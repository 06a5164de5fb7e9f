// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension Quaternion {
    /// Creates a rotation from a rotation vector in radians.
    @inline(__always)
    init(rotationVector v: SIMD4<Double>) {
        // A quarter of the squared angle is the square of the half angle.
        let h2 = 0.25 * v.dot(v)
        let c: Double
        let s: Double
        if h2 < 0.003 {
            // Series of cos(h) and of sin(h) / h; the omitted terms are below 3e-15.
            let h4 = h2 * h2
            c = (1 - h2 * 0.5) + h4 * (1 / 24.0 - h2 * (1 / 720.0))
            s = (0.5 - h2 * (1 / 12.0)) + h4 * (1 / 240.0 - h2 * (1 / 10080.0))
        } else {
            let h = h2.squareRoot()
            c = cos(h)
            s = 0.5 * sin(h) / h
        }
        self.init(components: SIMD4(s * v.x, s * v.y, s * v.z, c))
    }

    /// The quaternion scaled to length 1. Its length may differ from 1 by rounding errors only.
    @inline(__always)
    var renormalized: Quaternion {
        let c = components
        let squared = c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w
        return Quaternion(components: c * (1.5 - 0.5 * squared))
    }

    /// Returns the rotation by `other` followed by this rotation. Equivalent to the `*` operator, but inlined.
    @inline(__always)
    func after(_ other: Quaternion) -> Quaternion {
        let a = components
        let b = other.components
        let x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y
        let y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x
        let z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w
        let w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z
        return Quaternion(components: SIMD4(x, y, z, w))
    }

    /// Returns a vector rotated by the quaternion.
    @inline(__always)
    func rotate(_ v: SIMD4<Double>) -> SIMD4<Double> {
        // Scalars are faster here, because with vectors the processor would mostly shuffle lanes.
        let x = components.x
        let y = components.y
        let z = components.z
        let w = components.w
        let a = 2 * (y * v.z - z * v.y)
        let b = 2 * (z * v.x - x * v.z)
        let c = 2 * (x * v.y - y * v.x)
        let first = v.x + w * a + (y * c - z * b)
        let second = v.y + w * b + (z * a - x * c)
        let third = v.z + w * c + (x * b - y * a)
        return SIMD4(first, second, third, 0)
    }
}
