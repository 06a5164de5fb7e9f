// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace

/// Normally distributed numbers of mean 0 and variance 1 that a seed determines (Marsaglia's polar method).
struct GaussianNumbers: Sendable {
    private var numbers: SeededNumbers
    private var kept: Double?

    /// - Parameters:
    ///   - seed: of the whole trace.
    ///   - stream: what the numbers are for: each has numbers of its own, so that leaving one sensor out changes no other.
    init(seed: UInt64, stream: UInt64) {
        var mixer = SeededNumbers(seed: stream)
        numbers = SeededNumbers(seed: seed ^ mixer.next())
    }

    mutating func next() -> Double {
        if let number = kept {
            kept = nil
            return number
        }
        while true {
            let (x, y) = (uniform(), uniform())
            let square = x * x + y * y
            guard square < 1, square > 0 else { continue }
            let factor = (-2 * log(square) / square).squareRoot()
            kept = y * factor
            return x * factor
        }
    }

    /// Three numbers.
    mutating func vector() -> SIMD3<Double> { SIMD3(next(), next(), next()) }

    /// A number from -1 to 1.
    mutating func uniform() -> Double { Double(Int64(bitPattern: numbers.next()) >> 10) / 9_007_199_254_740_992 }
}
