// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The angle between the attitude's arbitrary heading and magnetic north.
@usableFromInline struct NorthOffset: Sendable {
    private(set) var isKnown = false
    /// The cosine and the sine of half the angle, which form a unit vector.
    private var half = SIMD2<Double>(1, 0)

    /// The angle in radians, from -π to π, or nil if it is unknown.
    @usableFromInline var offset: Double? {
        isKnown ? atan2(2 * half.x * half.y, half.x * half.x - half.y * half.y) : nil
    }

    /// Returns the attitude relative to magnetic north, or nil if the angle is unknown.
    @usableFromInline func rotated(_ attitude: Quaternion) -> Quaternion? {
        isKnown ? Quaternion(x: 0, y: 0, z: half.y, w: half.x).after(attitude) : nil
    }

    /// Returns the angle that a measured field indicates minus the current angle, from -π to π. `x` and `y` are the
    /// horizontal components of the field in earth axes with an arbitrary heading.
    @inline(__always) func disagreement(x: Double, y: Double) -> Double {
        let cosine = half.x * half.x - half.y * half.y
        let sine = 2 * half.x * half.y
        return Self.angle(sine: x * cosine - y * sine, cosine: x * sine + y * cosine)
    }

    @inline(__always) mutating func rotate(by angle: Double) {
        isKnown = true
        let h = 0.5 * angle
        let h2 = h * h
        let c: Double
        let s: Double
        if h2 < 1e-4 {
            c = 1 - h2 * (1 / 2.0 - h2 * (1 / 24.0))
            s = h - h * h2 * (1 / 6.0 - h2 * (1 / 120.0))
        } else {
            c = cos(h)
            s = sin(h)
        }
        let rotatedHalf = SIMD2(half.x * c - half.y * s, half.x * s + half.y * c)
        half = rotatedHalf * (1.5 - 0.5 * (rotatedHalf.x * rotatedHalf.x + rotatedHalf.y * rotatedHalf.y))
    }

    /// Returns the angle of a direction, using a series for small angles.
    @inline(__always) private static func angle(sine: Double, cosine: Double) -> Double {
        guard abs(sine) < 0.2 * cosine else { return atan2(sine, cosine) }
        let t = sine / cosine
        let u = t * t
        let u2 = u * u
        // The omitted terms are below 1e-10 radians.
        let low = (1 - u * (1 / 3.0)) + u2 * (1 / 5.0 - u * (1 / 7.0))
        return t * (low + u2 * u2 * (1 / 9.0 - u * (1 / 11.0)))
    }
}
