// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import Testing

/// Against optical truth. VQF with its defaults has 1.964, 3.614, 2.164 and 1.822 degrees in these recordings (mean 2.391),
/// and 1.022 of inclination (PyPI vqf 2.1.2, the same rule).
@Suite("Attitude filter: accuracy")
struct AttitudeAccuracyTests {
    private typealias Treatment = AttitudeScore.Treatment

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    @Test("Recordings with truth: better than the published filter on average, and in no recording much worse")
    func recordings() {
        let scores = AttitudeTrial.all.map { AttitudeScore($0) }
        for (score, published) in zip(scores, [1.964, 3.614, 2.164, 1.822]) {
            #expect(score.total <= published + 0.15, "\(score)")
            // Two standard deviations are meant to hold for 95 %.
            #expect(score.withinBound >= 0.95, "\(score)")
            #expect(score.meanBound < 8, "\(score)")
        }
        #expect(Self.mean(scores.map(\.total)) <= 1.95)
        #expect(Self.mean(scores.map(\.inclination)) <= 0.73)
    }

    @Test("Lost samples: 10 % cost little, where a fixed interval would cost 15 degrees")
    func drops() {
        let scores = (1...5).map { AttitudeScore.mean(Treatment(drops: 0.1, seed: $0)) }
        #expect(Self.mean(scores.map(\.total)) <= 2.2, "\(scores)")
        #expect(AttitudeScore.mean(Treatment(drops: 0.02)).total <= 2.05)
    }

    @Test(
        "A gyroscope's bias on every axis costs nothing once the device has rested",
        arguments: [(0.5, 1.95), (3, 2.45), (5, 1.95)])
    func bias(degrees: Double, limit: Double) {
        let score = AttitudeScore.mean(Treatment(bias: degrees))
        #expect(score.total <= limit, "\(score)")
    }

    @Test(
        "A bias that swings by a degree a second in two minutes is followed, for a heading that is contradicted doubts itself"
    )
    func swing() {
        let score = AttitudeScore.mean(Treatment(swing: 1))
        #expect(score.total <= 3.8, "\(score)")
    }

    @Test("Half a second that is lost every ten is not bridged by the last rate, but found anew")
    func gaps() {
        let score = AttitudeScore.mean(Treatment(gap: 0.5))
        #expect(score.total <= 13, "\(score)")
        #expect(score.inclination <= 6, "\(score)")
        #expect(score.withinBound >= 0.95, "\(score)")
    }

    @Test("Time stamps of hundredths or thousandths of a second cost nothing", arguments: [0.01, 0.001])
    func rounding(to digits: Double) {
        let score = AttitudeScore.mean(Treatment(rounding: digits))
        #expect(score.total <= 1.95, "\(score)")
        #expect(score.inclination <= 0.73, "\(score)")
    }

    @Test("A recording that begins with the motion, or two seconds before it", arguments: [0.0, 2])
    func coldStart(seconds: Double) {
        let score = AttitudeScore.mean(Treatment(start: seconds))
        #expect(score.total <= 2.5, "\(score)")
        #expect(score.inclination <= 0.85, "\(score)")
    }

    @Test("A bias from an earlier run makes up for the missing rest")
    func storedBias() {
        var filter = AttitudeFilter()
        filter.startBias(SIMD3(repeating: 5 * .pi / 180), sigma: 0.3 * .pi / 180)
        let treatment = Treatment(bias: 5, start: 0)
        let stored = AttitudeScore.mean(treatment, filter: filter)
        #expect(stored.total <= 2.5, "\(stored)")
        #expect(AttitudeScore.mean(treatment).total > stored.total + 0.5)
    }

    @Test("Jitter of 30 % of the interval, and rates of 286, 32 and 19 Hz")
    func intervals() {
        #expect(AttitudeScore.mean(Treatment(jitter: 0.3)).total <= 2.4)
        #expect(AttitudeScore.mean(Treatment(block: 3)).total <= 2.2)
        #expect(AttitudeScore.mean(Treatment(block: 5)).total <= 2.9)
        let dense = AttitudeScore.mean(Treatment(density: 3), of: [AttitudeTrial.all[1]])
        #expect(dense.total <= 2.7, "\(dense)")
    }
}
