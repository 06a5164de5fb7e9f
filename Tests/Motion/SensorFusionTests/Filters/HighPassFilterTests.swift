// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("One-pole high-pass filter")
struct HighPassFilterTests {
    private let one = SIMD3<Double>(repeating: 1)

    /// The published form, which feeds its output back: h = x - (0.1 x + 0.9 h).
    private func printed(_ inputs: [Double]) -> [Double] {
        var output = 0.0
        return inputs.map { input in
            output = input - ((input * 0.1) + (output * (1 - 0.1)))
            return output
        }
    }

    private func ours(_ inputs: [Double]) -> [Double] {
        var filter = HighPassFilter(factor: 0.1, startingAt: .zero)
        return inputs.map { filter.update(SIMD3(repeating: $0)).x }
    }

    @Test("The step response starts at 0.9 and decays to zero, whereas the published form settles at 0.474")
    func step() {
        let step = [Double](repeating: 1, count: 400)
        let ours = ours(step)
        for (index, output) in ours.enumerated() {
            #expect(abs(output - pow(0.9, Double(index + 1))) < 1e-12)
        }
        #expect(abs(ours[0] - 0.9) < 1e-15)
        #expect(abs(ours[399]) < 1e-15)
        let printed = printed(step)
        #expect(abs(printed[0] - 0.9) < 1e-15)
        #expect(abs(printed[399] - 9.0 / 19.0) < 1e-12)
        #expect(abs(printed[399] - 0.474) < 0.0005)
    }

    @Test("The gain at half the sample rate is 18/19, whereas that of the published form is 9")
    func highestFrequency() {
        let alternating = (0..<600).map { $0 % 2 == 0 ? 1.0 : -1.0 }
        // 1 - 0.1 / (1 + 0.9)
        #expect(abs(abs(ours(alternating)[599]) - 18.0 / 19.0) < 1e-12)
        // 0.9 / (1 - 0.9)
        #expect(abs(abs(printed(alternating)[599]) - 9) < 1e-9)
    }

    @Test("The step response with a time constant is exp(-t / tau) for any intervals")
    func timeConstant() {
        var random = SeededGenerator(seed: 2)
        var filter = HighPassFilter(timeConstant: 0.5, startingAt: .zero)
        var time = 0.0
        for _ in 0..<200 {
            let interval = Double.random(in: 0.001...0.05, using: &random)
            time += interval
            #expect(abs(filter.update(one, interval: interval).y - exp(-time / 0.5)) < 1e-12)
        }
    }

    @Test("With the first sample as the start, the output at rest is zero from the beginning")
    func rest() {
        for start in [HighPassFilter(factor: 0.1), HighPassFilter(timeConstant: 0.3), HighPassFilter(cutoff: 1)] {
            var filter = start
            for _ in 0..<50 {
                #expect(filter.update(SIMD3(0.2, -0.9, 0.1), interval: 0.02) == .zero)
                #expect(filter.value == .zero)
            }
        }
    }

    @Test("A non-finite sample does not change the output, and an invalid interval does not change the low-pass part")
    func invalidInput() {
        var filter = HighPassFilter(timeConstant: 0.5)
        #expect(filter.update(SIMD3(.nan, 1, 1), interval: 0.01) == .zero)
        _ = filter.update(.zero, interval: 0.01)
        let output = filter.update(one, interval: 0.1)
        #expect(abs(output.x - exp(-0.2)) < 1e-15)
        for bad in [SIMD3(.nan, 0, 0), SIMD3(0, .infinity, 0)] {
            #expect(filter.update(bad, interval: 0.1) == output)
            #expect(filter.value == output)
        }
        for bad in [0, -1, Double.nan] {
            #expect(length(filter.update(one * 2, interval: bad) - (output + one)) < 1e-15)
        }
        _ = filter.update(SIMD3(repeating: 1.7e308), interval: 1e4)
        #expect(filter.update(SIMD3(repeating: -1.7e308), interval: 1).x.isFinite)
        filter.reset()
        #expect(filter.value == .zero)
        #expect(filter.update(one, interval: 0.1) == .zero)
    }
}
