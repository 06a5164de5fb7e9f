// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace

/// The noise of one sensor. For a given seed, the readings depend on the order in which random numbers are drawn.
struct NoiseSource: Sendable {
    /// The constant part of the bias, in the sensor's unit.
    let bias: SIMD3<Double>
    private let noise: SensorNoise
    private let axes: Int
    private let deviation: Double
    private let walkStep: Double
    private var walk = SIMD3<Double>.zero
    private var numbers: GaussianNumbers

    /// Creates a noise source for a sensor that is sampled at the given rate, in hertz. For scalar sensors, only the
    /// first component of each vector is used.
    init(_ noise: SensorNoise, rate: Double, isVector: Bool, biasFraction: Double, seed: UInt64, stream: UInt64) {
        self.noise = noise
        axes = isVector ? 3 : 1
        deviation = noise.density * (rate / 2).squareRoot()
        walkStep = noise.biasWalk / rate.squareRoot()
        numbers = GaussianNumbers(seed: seed, stream: stream)
        // These numbers are drawn even if there is no bias, so that the noise does not depend on the bias.
        let drawn = SIMD3(numbers.uniform(), numbers.uniform(), numbers.uniform())
        bias = drawn * (noise.biasTolerance * biasFraction) * (isVector ? SIMD3(1, 1, 1) : SIMD3(1, 0, 0))
    }

    /// Adds noise to a true value and returns the resulting reading. Each call advances the noise by one sample.
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

/// A seeded generator of normally distributed numbers with mean 0 and variance 1 (Marsaglia's polar method).
struct GaussianNumbers: Sendable {
    private var numbers: SplitMix64
    private var spare: Double?

    /// Each sensor has its own stream of random numbers, so removing a sensor does not change the noise of the others.
    init(seed: UInt64, stream: UInt64) {
        var mixer = SplitMix64(seed: stream)
        numbers = SplitMix64(seed: seed ^ mixer.next())
    }

    mutating func next() -> Double {
        if let number = spare {
            spare = nil
            return number
        }
        while true {
            let (x, y) = (uniform(), uniform())
            let square = x * x + y * y
            guard square < 1, square > 0 else { continue }
            let factor = (-2 * log(square) / square).squareRoot()
            spare = y * factor
            return x * factor
        }
    }

    mutating func vector() -> SIMD3<Double> { SIMD3(next(), next(), next()) }

    /// Returns a uniformly distributed number from -1 to 1.
    mutating func uniform() -> Double { Double(Int64(bitPattern: numbers.next()) >> 10) / 9_007_199_254_740_992 }
}
