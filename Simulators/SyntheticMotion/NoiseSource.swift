// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
