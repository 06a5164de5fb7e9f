// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import SensorFusion

/// On the walks of a person on whom nothing was tuned; the references are by make_steps_reference.py.
@Suite("How many steps")
struct StepAccuracyTests {
    private let counts = Walks.all.map { Walks.count($0.samples) }

    @Test("The error is below that of the plain detector and of the published one")
    func accuracy() {
        #expect(Walks.all.count == 7)
        let truths = Walks.all.map(\.truth)
        let error = Walks.meanError(counts, truths)
        #expect(error < 2.3, "\(error) \(counts)")
        #expect(error < Walks.meanError(Walks.all.map(\.plain), truths) - 0.5)
        #expect(error < Walks.meanError(Walks.all.map(\.published), truths) - 4)
    }

    @Test("So it is where switches that closed twice are left out")
    func mergedAccuracy() {
        let truths = Walks.all.map(\.merged)
        let error = Walks.meanError(counts, truths)
        #expect(error < 2, "\(error)")
        #expect(error < Walks.meanError(Walks.all.map(\.plain), truths))
    }

    @Test("Sitting and standing are no steps, and stairs and running are")
    func others() {
        for subject in [15, 17, 19] {
            for activity in ["sit", "std"] {
                #expect(Walks.count(Walks.samples("ms_\(activity)_sub\(subject)", scale: 0.00980665)) == 0)
            }
            // Half a minute each; published cadences are 104 to 119 a minute on stairs, 159 to 164 for jogging.
            for (activity, range) in [("ups", 40.0...58), ("dws", 45...66), ("wlk", 44...62), ("jog", 76...88)] {
                let steps = Walks.count(Walks.samples("ms_\(activity)_sub\(subject)", scale: 0.00980665))
                #expect(range.contains(steps), "\(activity) \(subject): \(steps)")
            }
        }
    }
}

/// What samples may be like.
@Suite("Samples of steps")
struct StepInputTests {
    private let walk = Walks.all.first { $0.name.contains("FrontPocket") }?.samples ?? []

    /// Steps counted where each sample has a time of its own.
    private func count(_ samples: [(SIMD3<Double>, Double)]) -> Int {
        var tracker = WalkTracker()
        return samples.reduce(0) { sum, sample in
            _ = tracker.take(sample.0, at: sample.1)
            return sum + tracker.steps.count
        }
    }

    private var timed: [(SIMD3<Double>, Double)] { walk.enumerated().map { ($1, Double($0) * 0.02) } }

    @Test("Jitter, lost samples and 25 Hz change the count by a few per cent")
    func irregular() {
        let plain = count(timed)
        var random = SeededGenerator(seed: 7)
        let jittered = timed.map { ($0.0, $0.1 + Double(random.next() % 1000) / 1000 * 0.018) }
        #expect(abs(count(jittered) - plain) <= plain / 30)
        let lossy = timed.filter { _ in random.next() % 10 > 1 }
        #expect(abs(count(lossy) - plain) <= plain / 30)
        let half = timed.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        #expect(abs(count(half) - plain) <= plain / 30)
    }

    @Test("A thousand samples a second count as fifty do, and one a second says nothing")
    func rates() {
        #expect(abs(Walks.count(Walks.synthetic(seconds: 30, cadence: 1.8, rate: 1000), rate: 1000) - 54) <= 2)
        #expect(abs(Walks.count(Walks.synthetic(seconds: 30, cadence: 1.8)) - 54) <= 2)
        #expect(Walks.count(Walks.synthetic(seconds: 600, cadence: 1.8, rate: 1), rate: 1) == 0)
    }

    @Test("The seventh step does not count, and the eighth brings all of them")
    func gate() {
        // Band-pass, regularity and the gate are settled by the steps themselves, whatever comes later.
        #expect(Walks.count(Walks.synthetic(seconds: 6.5 / 1.8, cadence: 1.8)) == 0)
        var tracker = WalkTracker()
        var first = 0
        for (index, sample) in Walks.synthetic(seconds: 20, cadence: 1.8).enumerated() where first == 0 {
            _ = tracker.take(sample, at: Double(index) / 50)
            first = tracker.steps.count
        }
        #expect(first >= 8)
    }

    @Test("Numbers that are none, repeated and late samples change nothing")
    func odd() {
        var tracker = WalkTracker()
        var steps = 0
        for (index, sample) in Walks.synthetic(seconds: 30, cadence: 1.8).enumerated() {
            let time = Double(index) / 50
            for (odd, when) in [
                (SIMD3(Double.nan, 0, 0), time), (SIMD3(0, .infinity, 0), time), (sample, .nan), (sample, time - 0.1),
            ] {
                _ = tracker.take(odd, at: when)
                #expect(tracker.steps.isEmpty)
            }
            _ = tracker.take(sample, at: time)
            steps += tracker.steps.count
        }
        #expect(abs(steps - 54) <= 2)
    }

    @Test("Across a gap and a clock that was set back the gate begins anew, and counting goes on")
    func clocks() {
        let walk = Walks.synthetic(seconds: 20, cadence: 2)
        var tracker = WalkTracker()
        var steps = 0
        for start in [0.0, 1e6, 30, 1e9, -5] {
            for (index, sample) in walk.enumerated() {
                _ = tracker.take(sample, at: start + Double(index) / 50)
                steps += tracker.steps.count
            }
        }
        #expect(abs(steps - 5 * 40) <= 10)
    }

    @Test("Saturated and stuck axes end without a step for ever, and without harm")
    func saturated() {
        let stuck = (0..<3000).map { _ in SIMD3(1e300, -1e300, 1e300) }
        #expect(Walks.count(stuck) == 0)
        let clipped = walk.map { $0.clamped(lowerBound: SIMD3(repeating: -2), upperBound: SIMD3(repeating: 12)) }
        #expect(Walks.count(clipped) > 200)
    }

    @Test("Noise, a fall and a slow swing are no steps")
    func noWalks() {
        var random = SeededGenerator(seed: 3)
        let noise = (0..<15_000).map { _ -> SIMD3<Double> in
            let z = Double(random.next() % 10_000) / 5_000 - 1
            return SIMD3(0, 0, 9.8 + z * 2)
        }
        #expect(Walks.count(noise) == 0)
        #expect(Walks.count(Walks.synthetic(seconds: 60, cadence: 0.3, strength: 4)) == 0)
    }

    @Test("The band-pass is scipy's")
    func bandPass() {
        var filter = StepBandPass()
        filter.start(9.8)
        // sosfilt of butter(2, [0.5, 3], 'band', fs=50) from sosfilt_zi * 9.8, for 9.8 three times, 12, and 9.8 again.
        let expected = [
            0, 0, 0, 0.04418340424142464, 0.15546269882223207, 0.25153052872655124, 0.28044448878989137,
            0.2603837458427751, 0.20864564099138683, 0.1402660861828391,
        ]
        for (index, value) in expected.enumerated() {
            #expect(abs(filter.update(index == 3 ? 12 : 9.8) - value) < 1e-9)
        }
    }
}
