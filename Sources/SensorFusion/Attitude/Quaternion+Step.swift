// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension Quaternion {
    /// The turn by a rotation vector, in radians.
    @inline(__always)
    init(rotationVector v: SIMD4<Double>) {
        // A quarter of the squared angle: that of the half angle.
        let h2 = 0.25 * (v * v).sum()
        if h2 < 0.01 {
            // Series of cos and of sin(h) / h; what they leave out is below 1e-16.
            let c = 1 - h2 * (1 / 2.0 - h2 * (1 / 24.0 - h2 * (1 / 720.0 - h2 * (1 / 40320.0))))
            let s = 0.5 * (1 - h2 * (1 / 6.0 - h2 * (1 / 120.0 - h2 * (1 / 5040.0 - h2 * (1 / 362_880.0)))))
            self.init(x: s * v.x, y: s * v.y, z: s * v.z, w: c)
        } else {
            let h = h2.squareRoot()
            let s = 0.5 * sin(h) / h
            self.init(x: s * v.x, y: s * v.y, z: s * v.z, w: cos(h))
        }
    }

    /// Length 1 again, for a quaternion that is off by rounding only.
    @inline(__always)
    var renormalized: Quaternion {
        Quaternion(components: components * (1.5 - 0.5 * (components * components).sum()))
    }
}
