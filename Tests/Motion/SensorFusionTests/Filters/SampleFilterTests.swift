// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import TestSupport
import Testing

@Suite("What all filters for samples have in common")
struct SampleFilterTests {
    @Test(
        "Every filter ignores invalid samples, and restarts after a reset",
        arguments: [
            LowPassFilter(timeConstant: 0.2), LowPassFilter(factor: 0.1), ButterworthLowPassFilter(cutoff: 2),
            HighPassFilter(cutoff: 2), GravitySeparator(), GravitySeparator(butterworthCutoff: 2),
        ] as [any SampleFilter])
    func common(filter: any SampleFilter) { check(filter) }

    private func check(_ fresh: some SampleFilter) {
        var random = SeededGenerator(seed: 11)
        let samples = (0..<100).map { _ in random.normal(3) }
        var filter = fresh
        let first = outputs(of: &filter, for: samples)
        let before = filter
        for invalid in [Double.nan, .infinity, -.infinity] {
            _ = filter.update(SIMD3(0, invalid, 1), interval: 0.01)
            #expect(filter == before)
        }
        // An invalid start is the same as none.
        for start in [nil, SIMD3(Double.nan, 0, 0)] {
            filter.reset(to: start)
            #expect(filter == fresh)
            #expect(outputs(of: &filter, for: samples) == first)
        }
        // A filter that starts from a value gives the same output as one that has just received it.
        filter.reset(to: samples[0])
        #expect(outputs(of: &filter, for: samples.dropFirst()) == Array(first.dropFirst()))
    }

    /// Returns descriptions of the outputs, which distinguish all values.
    private func outputs(of filter: inout some SampleFilter, for samples: some Sequence<SIMD3<Double>>) -> [String] {
        samples.map { String(describing: filter.update($0, interval: 0.01)) }
    }
}
