// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace

/// Makes the readings of one sensor from the truth.
struct NoiseSource: Sendable {
    /// The constant part of the bias, in units.
    let bias: SIMD3<Double>
    private let noise: SensorNoise
    private let axes: Int
    private let deviation: Double
    private let walkStep: Double
    private var walk = SIMD3<Double>.zero
    private var numbers: GaussianNumbers

    /// - Parameters:
    ///   - rate: Readings a second.
    ///   - isVector: False for a scalar, which stands in the first component.
    ///   - biasFraction: How much of the tolerance of the zero comes true.
    init(_ noise: SensorNoise, rate: Double, isVector: Bool, biasFraction: Double, seed: UInt64, stream: UInt64) {
        self.noise = noise
        axes = isVector ? 3 : 1
        deviation = noise.density * (rate / 2).squareRoot()
        walkStep = noise.biasWalk / rate.squareRoot()
        numbers = GaussianNumbers(seed: seed, stream: stream)
        // Always drawn, so that the noise that follows is the same with and without a bias.
        let drawn = SIMD3(numbers.uniform(), numbers.uniform(), numbers.uniform())
        bias = drawn * (noise.biasTolerance * biasFraction) * (isVector ? SIMD3(1, 1, 1) : SIMD3(1, 0, 0))
    }

    /// The reading of a truth. Each call is a reading later than the one before.
    mutating func reading(_ truth: SIMD3<Double>) -> SIMD3<Double> {
        var value = truth + bias
        if walkStep > 0 {
            walk += draw() * walkStep
            value += walk
        }
        if deviation > 0 { value += draw() * deviation }
        for axis in 0..<axes {
            if noise.step > 0 { value[axis] = (value[axis] / noise.step).rounded() * noise.step }
            value[axis] = min(max(value[axis], -noise.range - noise.step), noise.range)
        }
        return value
    }

    private mutating func draw() -> SIMD3<Double> { axes == 3 ? numbers.vector() : SIMD3(numbers.next(), 0, 0) }
}

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
