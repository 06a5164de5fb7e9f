// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("One-pole low-pass filter")
struct LowPassFilterTests {
    private let one = SIMD3<Double>(repeating: 1)

    @Test("The step response with a time constant is 1 - exp(-t / tau) for any intervals")
    func step() {
        var random = SeededGenerator(seed: 1)
        for tau in [0.05, 0.2, 3] {
            var filter = LowPassFilter(timeConstant: tau, startingAt: .zero)
            var time = 0.0
            for _ in 0..<300 {
                let interval = Double.random(in: 0.0001...0.1, using: &random)
                time += interval
                let output = filter.update(SIMD3(1, -2, 10), interval: interval)
                let expected = 1 - exp(-time / tau)
                #expect(length(output - SIMD3(1, -2, 10) * expected) < 1e-12)
            }
        }
    }

    @Test("A cutoff frequency f corresponds to a time constant of 1 / (2π f)")
    func cutoff() {
        var filter = LowPassFilter(cutoff: 0.5, startingAt: .zero)
        // tau = 1 / π = 0.3183 s. The step response after tau is 1 - 1/e.
        #expect(abs(filter.update(one, interval: 0.3183098861837907).x - 0.6321205588285577) < 1e-12)
    }

    @Test("With a factor of 0.1, the step response reaches 65 % after 10 samples and 99 % after 44")
    func usualFactor() {
        var filter = LowPassFilter(factor: 0.1, startingAt: .zero)
        var outputs: [Double] = []
        var byHand = 0.0
        for _ in 0..<44 {
            outputs.append(filter.update(one).x)
            byHand = 0.1 * 1 + (1 - 0.1) * byHand
            #expect(abs(outputs[outputs.count - 1] - byHand) < 1e-15)
        }
        #expect(abs(outputs[9] - 0.6513) < 0.0001)
        #expect(outputs[42] < 0.99)
        #expect(outputs[43] > 0.99)
    }

    @Test("The first output is the first sample, and before it there is no value")
    func firstSample() {
        let sample = SIMD3(0.1, -0.9, 0.3)
        for start in [LowPassFilter(timeConstant: 0.2), LowPassFilter(factor: 0.1), LowPassFilter(cutoff: 1)] {
            var filter = start
            #expect(filter.value == nil)
            #expect(filter.update(sample, interval: .nan) == sample)
            #expect(filter.value == sample)
            // A constant input does not change the value, bit for bit.
            for _ in 0..<100 { #expect(filter.update(sample, interval: 0.01) == sample) }
            filter.reset()
            #expect(filter.value == nil)
            filter.reset(to: one)
            #expect(filter.value == one)
        }
    }

    @Test("A filter with a factor ignores the interval")
    func factorIgnoresInterval() {
        var first = LowPassFilter(factor: 0.25)
        var second = LowPassFilter(factor: 0.25)
        for (index, interval) in [0.01, -1, 0, .nan, .infinity, 5].enumerated() {
            let sample = SIMD3(repeating: Double(index))
            #expect(first.update(sample, interval: interval) == second.update(sample))
        }
    }

    @Test("After a long gap, the output is the new sample")
    func gap() {
        var filter = LowPassFilter(timeConstant: 0.2)
        _ = filter.update(one, interval: 0.01)
        // A fraction of exp(-2 / 0.2) = 4.5e-5 of the old value remains.
        #expect(abs(filter.update(.zero, interval: 2).x - 4.539992976e-5) < 1e-14)
        #expect(filter.update(-one, interval: 1e6) == -one)
        #expect(filter.update(one, interval: .infinity) == one)
    }

    @Test("Non-finite samples and invalid intervals do not change the output")
    func invalidInput() {
        var filter = LowPassFilter(timeConstant: 0.2)
        #expect(filter.update(SIMD3(0, .nan, 0), interval: 0.01) == .zero)
        #expect(filter.value == nil)
        _ = filter.update(one, interval: 0.01)
        for bad in [SIMD3(.nan, 0, 0), SIMD3(0, Double.infinity, 0), SIMD3(0, 0, -.infinity)] {
            #expect(filter.update(bad, interval: 0.01) == one)
        }
        for bad in [0, -0.0, -1, -Double.infinity, Double.nan] {
            #expect(filter.update(.zero, interval: bad) == one)
        }
        // Without an interval, a filter with a time constant ignores the sample.
        #expect(filter.update(.zero) == one)
        #expect(filter.update(.zero, interval: 0.2).x < 0.4)
        // Values whose difference overflows have no lasting effect.
        _ = filter.update(SIMD3(repeating: 1.7e308), interval: 1e3)
        #expect(filter.update(SIMD3(repeating: -1.7e308), interval: 0.01) == SIMD3(repeating: 1.7e308))
        #expect(filter.update(one, interval: 1e3) == one)
    }

    @Test("Parameters out of range are clamped")
    func parameters() {
        for passing in [
            LowPassFilter(timeConstant: 0), LowPassFilter(timeConstant: -1), LowPassFilter(timeConstant: .nan),
            LowPassFilter(cutoff: .infinity), LowPassFilter(cutoff: -1), LowPassFilter(cutoff: .nan),
            LowPassFilter(factor: 1), LowPassFilter(factor: 7), LowPassFilter(factor: .nan),
        ] {
            var filter = passing
            _ = filter.update(.zero, interval: 0.01)
            #expect(filter.update(one, interval: 0.01) == one)
        }
        for holding in [
            LowPassFilter(timeConstant: .infinity), LowPassFilter(cutoff: 0), LowPassFilter(factor: -3),
        ] {
            var filter = holding
            _ = filter.update(one, interval: 0.01)
            #expect(filter.update(.zero, interval: 0.01) == one)
            #expect(filter.update(.zero, interval: .infinity) == one)
        }
        #expect(LowPassFilter(factor: 0.1, startingAt: SIMD3(.nan, 0, 0)).value == nil)
    }
}
