// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014): the same numbers on every machine.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns a vector of independent normally distributed numbers (Box–Muller).
    package mutating func normal(_ deviation: Double) -> SIMD3<Double> {
        var vector = SIMD3<Double>()
        for index in 0..<3 {
            let radius = sqrt(-2 * log(1 - Double.random(in: 0..<1, using: &self)))
            vector[index] = deviation * radius * cos(.random(in: 0..<(2 * .pi), using: &self))
        }
        return vector
    }

    package mutating func direction() -> SIMD3<Double> {
        let vector = normal(1)
        return vector / length(vector)
    }

    /// Returns timestamps at a rate up to `end`, each shifted by at most a share of the interval.
    package mutating func times(rate: Double, until end: Double, jitter: Double = 0, from start: Double = 0) -> [Double]
    {
        (0..<Int((end - start) * rate)).map { index in
            start + (Double(index) + .random(in: -jitter...(jitter + 1e-12), using: &self)) / rate
        }
    }
}

package func length(_ vector: SIMD3<Double>) -> Double {
    sqrt((vector * vector).sum())
}

package func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// Rotates a vector about a unit axis by an angle in radians (Rodrigues' formula).
package func rotate(_ vector: SIMD3<Double>, about axis: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
    let along = axis * (axis * vector).sum()
    return along + (vector - along) * cos(angle) + cross(axis, vector) * sin(angle)
}

/// The angle between two vectors in degrees.
package func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    atan2(length(cross(a, b)), (a * b).sum()) * 180 / .pi
}
