// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Second-order Butterworth low-pass filter")
struct ButterworthLowPassFilterTests {
    @Test("The output matches scipy at regular and irregular intervals, below and above the sample rate")
    func scipy() throws {
        var filter = ButterworthLowPassFilter(cutoff: 1, startingAt: .zero)
        var tolerance = 0.0
        var kinds: Set<String> = []
        var rows = 0
        for line in try Recording.lines("Reference/butterworth.txt") {
            if line.hasPrefix("#") {
                let fields = line.split(separator: " ")
                let cutoff = try #require(Double(fields[2]))
                kinds.insert(String(fields[1]))
                filter = ButterworthLowPassFilter(cutoff: cutoff, startingAt: .zero)
                // The digital form, a bilinear transform, delays a sample by half an interval relative to a held input:
                // a phase of π f / 400, which is 0.8 % at 1 Hz and less of the remaining signal at higher frequencies.
                tolerance = fields[1] == "digital" ? 0.01 : 1e-11
                continue
            }
            let v = try Recording.numbers(line, separator: " ", count: 3)
            let output = filter.update(SIMD3(v[1], -2 * v[1], 0), interval: v[0])
            #expect(abs(output.x - v[2]) < tolerance, "\(line)")
            #expect(abs(output.y + 2 * v[2]) < 2 * tolerance, "\(line)")
            #expect(output.z == 0)
            rows += 1
        }
        #expect(kinds == ["regular", "irregular", "digital"])
        #expect(rows == 1340)
    }

    @Test("The step response matches the continuous filter for any intervals")
    func step() {
        var random = SeededGenerator(seed: 3)
        for cutoff in [0.1, 2, 50] {
            var filter = ButterworthLowPassFilter(cutoff: cutoff, startingAt: .zero)
            var time = 0.0
            for _ in 0..<300 {
                let interval = pow(10, Double.random(in: -5...(-0.5), using: &random))
                time += interval
                let phase = 2 * .pi * cutoff * time / sqrt(2)
                let expected = 1 - exp(-phase) * (cos(phase) + sin(phase))
                #expect(abs(filter.update(SIMD3(1, 0, -3), interval: interval).x - expected) < 1e-11)
            }
        }
    }

    @Test("The power gain at r times the cutoff frequency is 1 / (1 + r⁴)", arguments: [0.25, 0.5, 1, 2, 8])
    func gain(ratio: Double) {
        let cutoff = 2.0
        let rate = 2000.0
        var filter = ButterworthLowPassFilter(cutoff: cutoff, startingAt: .zero)
        var sums = (sine: 0.0, cosine: 0.0)
        // Three seconds to settle, followed by whole periods of each ratio.
        for index in 0..<Int(7 * rate) {
            let phase = 2 * .pi * cutoff * ratio * Double(index) / rate
            let output = filter.update(SIMD3(0, sin(phase), 0), interval: 1 / rate).y
            guard index >= Int(3 * rate) else { continue }
            sums.sine += output * sin(phase)
            sums.cosine += output * cos(phase)
        }
        let gain = 2 * sqrt(sums.sine * sums.sine + sums.cosine * sums.cosine) / (4 * rate)
        let expected = 1 / sqrt(1 + pow(ratio, 4))
        #expect(abs(gain / expected - 1) < 2e-3)
        if ratio == 1 { #expect(abs(20 * log10(gain) + 3.0103) < 0.01) }
    }

    @Test("For any intervals, the output of inputs between -1 and 1 stays within coth(π/2)")
    func bounded() {
        // The integral of the absolute impulse response, 2 a exp(-a t) sin(a t), is coth(π/2) = 1.0903.
        var random = SeededGenerator(seed: 4)
        var filter = ButterworthLowPassFilter(cutoff: 1)
        var greatest = 0.0
        for _ in 0..<200_000 {
            let interval = pow(10, Double.random(in: -6...3, using: &random))
            let sign: Double = Bool.random(using: &random) ? 1 : -1
            greatest = max(greatest, abs(filter.update(SIMD3(repeating: sign), interval: interval).x))
        }
        #expect(greatest <= 1.0904)
        #expect(greatest > 1)
    }

    @Test("The first output is the first sample, and a constant input yields a constant output")
    func firstSample() {
        let sample = SIMD3(0.3, -0.8, 0.2)
        var filter = ButterworthLowPassFilter(cutoff: 1)
        #expect(filter.value == nil)
        #expect(filter.update(sample, interval: 0) == sample)
        for _ in 0..<100 { #expect(filter.update(sample, interval: 0.01) == sample) }
        filter.reset()
        #expect(filter.value == nil)
    }

    @Test("Invalid samples and intervals do not change the state, and a long gap resets the output to the sample")
    func invalidInput() {
        let one = SIMD3<Double>(repeating: 1)
        var filter = ButterworthLowPassFilter(cutoff: 1)
        #expect(filter.update(SIMD3(.nan, 0, 0), interval: 0.1) == .zero)
        #expect(filter.value == nil)
        _ = filter.update(.zero, interval: 0.1)
        let output = filter.update(one, interval: 0.1)
        let before = filter
        for bad in [SIMD3(.nan, 0, 0), SIMD3(0, -Double.infinity, 0)] {
            #expect(filter.update(bad, interval: 0.1) == output)
            #expect(filter.update(bad, interval: 1e9) == output)
        }
        for bad in [0, -1, Double.nan] { #expect(filter.update(-one, interval: bad) == output) }
        #expect(filter == before)
        #expect(filter.update(-one, interval: .infinity) == -one)
        #expect(filter.update(one, interval: 100) == one)
        _ = filter.update(SIMD3(repeating: 1.7e308), interval: 100)
        #expect(filter.update(SIMD3(repeating: -1.7e308), interval: 0.1).x == 1.7e308)
        #expect(filter.update(one, interval: 100) == one)
    }

    @Test("An invalid cutoff frequency disables the filter, and zero holds the first value")
    func parameters() {
        for cutoff in [-1, .infinity, Double.nan] {
            var filter = ButterworthLowPassFilter(cutoff: cutoff)
            _ = filter.update(.zero, interval: 0.01)
            #expect(filter.update(SIMD3(1, 2, 3), interval: 0.01) == SIMD3(1, 2, 3))
        }
        var filter = ButterworthLowPassFilter(cutoff: 0)
        _ = filter.update(SIMD3(1, 2, 3), interval: 0.01)
        #expect(filter.update(.zero, interval: 10) == SIMD3(1, 2, 3))
        #expect(filter.update(.zero, interval: .infinity) == SIMD3(1, 2, 3))
    }
}
