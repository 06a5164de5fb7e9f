// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Shake detector: gaps, clocks and invalid samples")
struct ShakeTimingTests {
    private let shaking = Shaking()

    private func shaken() -> ShakeDetector {
        var detector = ShakeDetector()
        let events = detector.feed(times(100, to: 2.7)) { shaking($0) }
        #expect(events.map(\.event) == [.began])
        #expect(detector.isShaking)
        return detector
    }

    @Test("A gap cancels a shake in progress and discards the previous strokes")
    func gap() {
        var detector = shaken()
        let after = detector.feed(times(100, from: 3, to: 6)) { _ in SIMD3(0, -1, 0) }
        #expect(after == [TimedShakeEvent(time: 3, event: .cancelled)])

        // Two reversals, a gap of 0.3 s, and one more reversal.
        detector = ShakeDetector()
        _ = detector.feed(times(100, to: 2.36)) { shaking($0) }
        let late = Shaking(start: 2.7, duration: 0.3)
        let events = detector.feed(times(100, from: 2.7, to: 6)) { late($0) }
        #expect(events.isEmpty)
    }

    @Test("A shake with a third of its samples missing is detected")
    func losses() {
        var random = SeededGenerator(seed: 30)
        for _ in 0..<50 {
            var detector = ShakeDetector()
            let stamps = times(100, to: 6).filter { _ in Double.random(in: 0..<1, using: &random) > 0.33 }
            #expect(detector.feed(stamps) { shaking($0) }.map(\.event) == [.began, .ended])
        }
    }

    @Test("A reset cancels a shake in progress and reports it")
    func reset() {
        var detector = shaken()
        #expect(detector.reset() == .cancelled)
        #expect(!detector.isShaking)
        #expect(detector.reset() == nil)
        #expect(detector == ShakeDetector())
    }

    @Test("After the clock is set back, detection restarts and a shake is soon detected again")
    func clockSetBack() {
        var detector = shaken()
        let again = Shaking(start: 1.5)
        let events = detector.feed(times(100, from: 0, to: 5)) { again($0) }
        #expect(events.map(\.event) == [.cancelled, .began, .ended])

        // The refractory time of the old clock does not apply to the new one.
        detector = ShakeDetector()
        let late = Shaking(start: 5002)
        #expect(detector.feed(times(100, from: 5000, to: 5003.4)) { late($0) }.map(\.event) == [.began, .ended])
        #expect(detector.feed(times(100, from: 0, to: 5)) { again($0) }.map(\.event) == [.began, .ended])
    }

    @Test("Non-finite samples, invalid timestamps and late samples are ignored")
    func notFinite() {
        var detector = ShakeDetector()
        var events: [ShakeEvent] = []
        for time in times(100, to: 6) {
            let bad: [(SIMD3<Double>, Double)] = [
                (SIMD3(.nan, 0, 0), time), (SIMD3(0, -.infinity, 0), time), (SIMD3(9, 9, 9), .nan),
                (SIMD3(-9, 9, 9), .infinity), (SIMD3(9, -9, 9), time - 0.1),
            ]
            // A sample that is 0.1 s late is ignored once there are earlier samples.
            for (sample, stamp) in bad where time > 0.2 {
                #expect(detector.update(acceleration: sample, timestamp: stamp) == nil)
            }
            if let event = detector.update(acceleration: shaking(time), timestamp: time) { events.append(event) }
        }
        #expect(events == [.began, .ended])
    }

    @Test("The effect of an extreme sample ends within seconds")
    func hugeSample() {
        var detector = ShakeDetector()
        let late = Shaking(start: 8)
        let events = detector.feed(times(100, to: 12)) { time in
            abs(time - 1) < 0.001 ? SIMD3(1e300, -1e300, 5) : late(time)
        }
        #expect(events.map(\.event) == [.began, .ended])
    }
}
