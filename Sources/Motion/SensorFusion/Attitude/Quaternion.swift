// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A rotation as a unit quaternion in Hamilton's convention (i·j = k). An attitude rotates vectors from device axes to
/// earth axes.
public struct Quaternion: Sendable, Hashable {
    package var components: SIMD4<Double>
    /// The identity rotation.
    public static let identity = Quaternion(x: 0, y: 0, z: 0, w: 1)

    package init(components: SIMD4<Double>) { self.components = components }

    /// Creates a quaternion from its components without normalizing them.
    public init(x: Double, y: Double, z: Double, w: Double) { components = SIMD4(x, y, z, w) }

    /// The i component.
    public var x: Double { components.x }
    /// The j component.
    public var y: Double { components.y }
    /// The k component.
    public var z: Double { components.z }
    /// The scalar component.
    public var w: Double { components.w }

    package var vector: SIMD3<Double> { SIMD3(components.x, components.y, components.z) }
    /// The inverse of a unit quaternion.
    public var conjugate: Quaternion { Quaternion(components: components * SIMD4(-1, -1, -1, 1)) }

    /// The rotation as a quaternion of length 1, or the identity if the length is zero, infinite or NaN.
    package var normalized: Quaternion {
        let squaredLength = (components * components).sum()
        guard squaredLength.isFinite, squaredLength > 0 else { return .identity }
        return Quaternion(components: components / squaredLength.squareRoot())
    }

    /// Returns the rotation by `right` followed by the rotation by `left`.
    public static func * (left: Quaternion, right: Quaternion) -> Quaternion { left.after(right) }

    /// Returns a vector rotated by the quaternion: q·v·q*.
    public func rotate(_ v: SIMD3<Double>) -> SIMD3<Double> {
        let rotated = rotate(SIMD4(v, 0))
        return SIMD3(rotated.x, rotated.y, rotated.z)
    }

    /// The up direction (the earth's z axis) in device axes.
    public var up: SIMD3<Double> { SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z) }

    package static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    /// Creates a rotation about the z axis by an angle in radians, counterclockwise as seen from above.
    package init(aboutZ angle: Double) { self.init(x: 0, y: 0, z: sin(angle / 2), w: cos(angle / 2)) }

    @inline(__always) init(rotationVector v: SIMD4<Double>) {
        let h2 = 0.25 * v.dot(v)
        let c: Double
        let s: Double
        if h2 < 0.003 {
            // Series for cos(h) and sin(h) / h. The omitted terms are below 3e-15.
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

    /// The quaternion scaled to length 1. Its length must already be 1, except for rounding errors.
    @inline(__always) var renormalized: Quaternion {
        let c = components
        let squared = c.x * c.x + c.y * c.y + c.z * c.z + c.w * c.w
        return Quaternion(components: c * (1.5 - 0.5 * squared))
    }

    /// Returns the rotation by `other` followed by this rotation, like the `*` operator but inlined.
    @inline(__always) func after(_ other: Quaternion) -> Quaternion {
        let a = components
        let b = other.components
        let x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y
        let y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x
        let z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w
        let w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z
        return Quaternion(components: SIMD4(x, y, z, w))
    }

    @inline(__always) func rotate(_ v: SIMD4<Double>) -> SIMD4<Double> {
        // Scalar code is faster here, because vector code would mainly shuffle lanes.
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
