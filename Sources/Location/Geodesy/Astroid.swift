// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The plane problem to which nearly antipodal points lead: lines that touch an astroid (Karney 2013, figure 5).
enum Astroid {
    /// The positive root `k` of `x² / (1 + k)² + y² / k² = 1` (Karney 2013, equation 55), close enough to start
    /// Newton's method on the ellipsoid from.
    ///
    /// The left side falls and is convex for `k > 0`, so Newton's method that starts below the root climbs to it and
    /// never passes it. Below the root lie `|y|` and `|x| - 1`, because one term alone is 1 there; and, because
    /// `(1 + k)⁻² ≥ 1 - 2k`, whatever makes `(1 - x²) k² + 2 x² k³` at most `y²`. The greatest of them is
    /// within a small factor of the root even beside the cusps.
    static func parameter(x: Double, y: Double) -> Double {
        let x2 = x * x
        let y2 = y * y
        var k = max(abs(y), abs(x) - 1)
        let inner = max(0, 1 - x2)
        // Each of the two terms takes at most half of y².
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
