// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import Testing

/// Accuracy relative to an optical reference. VQF with default parameters has errors of 1.964, 3.614, 2.164 and 1.822
/// degrees on these recordings (mean 2.391), and an inclination error of 1.022 degrees (PyPI vqf 2.1.2, computed in the
/// same way).
@Suite("Attitude filter: accuracy")
struct AttitudeAccuracyTests {
    private typealias Treatment = AttitudeScore.Treatment

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    @Test("On recordings with a reference, the mean error is below that of the published filter")
    func recordings() {
        let scores = AttitudeTrial.all.map { AttitudeScore($0) }
        for (score, published) in zip(scores, [1.964, 3.614, 2.164, 1.822]) {
            #expect(score.total <= published + 0.15, "\(score)")
            // The bound is two standard deviations and is intended to hold for 95 % of the samples.
            #expect(score.withinBound >= 0.95, "\(score)")
            #expect(score.meanBound < 8, "\(score)")
        }
        #expect(Self.mean(scores.map(\.total)) <= 1.95)
        #expect(Self.mean(scores.map(\.inclination)) <= 0.73)
    }

    @Test("A loss of 10 % of the samples adds little error, whereas a fixed interval would add 15 degrees")
    func drops() {
        let scores = (1...5).map { AttitudeScore.mean(Treatment(drops: 0.1, seed: $0)) }
        #expect(Self.mean(scores.map(\.total)) <= 2.2, "\(scores)")
        #expect(AttitudeScore.mean(Treatment(drops: 0.02)).total <= 2.05)
    }

    @Test(
        "A gyroscope bias on all axes causes little error once the device has rested",
        arguments: [(0.5, 1.95), (3, 2.45), (5, 1.95)])
    func bias(degrees: Double, limit: Double) {
        let score = AttitudeScore.mean(Treatment(bias: degrees))
        #expect(score.total <= limit, "\(score)")
    }

    @Test("A bias that varies by 1 degree per second within two minutes is tracked")
    func swing() {
        let score = AttitudeScore.mean(Treatment(swing: 1))
        #expect(score.total <= 3.8, "\(score)")
    }

    @Test("After half a second without samples, the attitude is initialized again instead of extrapolated")
    func gaps() {
        let score = AttitudeScore.mean(Treatment(gap: 0.5))
        #expect(score.total <= 13, "\(score)")
        #expect(score.inclination <= 6, "\(score)")
        #expect(score.withinBound >= 0.95, "\(score)")
    }

    @Test("Timestamps rounded to 10 ms or 1 ms do not increase the error", arguments: [0.01, 0.001])
    func rounding(to digits: Double) {
        let score = AttitudeScore.mean(Treatment(rounding: digits))
        #expect(score.total <= 1.95, "\(score)")
        #expect(score.inclination <= 0.73, "\(score)")
    }

    @Test("A recording that starts during motion or two seconds before it is accurate", arguments: [0.0, 2])
    func coldStart(seconds: Double) {
        let score = AttitudeScore.mean(Treatment(start: seconds))
        #expect(score.total <= 2.5, "\(score)")
        #expect(score.inclination <= 0.85, "\(score)")
    }

    @Test("A stored bias replaces the missing rest")
    func storedBias() {
        var filter = AttitudeFilter()
        filter.setInitialBias(SIMD3(repeating: 5 * .pi / 180), sigma: 0.3 * .pi / 180)
        let treatment = Treatment(bias: 5, start: 0)
        let stored = AttitudeScore.mean(treatment, filter: filter)
        #expect(stored.total <= 2.5, "\(stored)")
        #expect(AttitudeScore.mean(treatment).total > stored.total + 0.5)
    }

    @Test("Jitter of 30 % and sample rates of 286, 32 and 19 Hz add little error")
    func intervals() {
        #expect(AttitudeScore.mean(Treatment(jitter: 0.3)).total <= 2.4)
        #expect(AttitudeScore.mean(Treatment(block: 3)).total <= 2.2)
        #expect(AttitudeScore.mean(Treatment(block: 5)).total <= 2.9)
        let dense = AttitudeScore.mean(Treatment(density: 3), of: [AttitudeTrial.all[1]])
        #expect(dense.total <= 2.7, "\(dense)")
    }
}
