// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Device orientation: time, gaps and disturbances")
struct OrientationTimingTests {
    private func known(_ start: SIMD3<Double>, rate: Double = 50) -> OrientationDetector {
        var detector = OrientationDetector()
        _ = detector.feed(times(rate, to: 1)) { _ in start }
        return detector
    }

    @Test("A quick turn is reported within half a second, a shorter visit never", arguments: [10.0, 20, 50, 200])
    func hold(rate: Double) {
        var detector = known(upright(0), rate: rate)
        let start = 1 + 1 / rate
        let changes = detector.feed(times(rate, from: start, to: 3)) { _ in upright(90) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
        let delay = (changes.first?.time ?? 9) - start
        #expect(delay >= 0.2 - 1e-6 && delay < 0.5)

        detector = known(upright(0), rate: rate)
        let visit = detector.feed(times(rate, from: start, to: 5)) { $0 < 1.2 ? upright(90) : upright(0) }
        #expect(visit.isEmpty)
    }

    @Test("A hold is not completed by a sample after a gap")
    func gap() {
        var detector = known(upright(0))
        // 0.19 s of landscape are not enough; the filter takes a tenth of it to turn over.
        let before = detector.feed(times(100, from: 1.01, to: 1.2)) { _ in upright(90) }
        #expect(before.isEmpty)
        // An hour later it happens to be landscape again: that alone proves nothing.
        let after = detector.feed(times(100, from: 3601.2, to: 3603)) { _ in upright(90) }
        #expect(after.map(\.orientation) == [.landscapeLeft])
        #expect(abs((after.first?.time ?? 0) - 3601.4) < 1e-6)
    }

    @Test("After a gap the direction before it is forgotten, and the orientation stays until there is evidence")
    func staleDirection() {
        var detector = known(upright(0))
        let changes = detector.feed(times(100, from: 10, to: 12)) { _ in upright(180) }
        // No trace of the low-pass filter's way from portrait: only the hold time.
        #expect(changes == [OrientationChange(time: changes.first?.time ?? 0, orientation: .portraitUpsideDown)])
        #expect(abs((changes.first?.time ?? 0) - 10.2) < 1e-6)
    }

    @Test("A slow but regular stream is followed, from one sample in two seconds", arguments: [0.5, 1, 2, 4])
    func slowStreams(rate: Double) {
        var detector = OrientationDetector()
        let first = detector.feed(times(rate, to: 20)) { _ in upright(0) }
        #expect(first.map(\.orientation) == [.portrait])
        let second = detector.feed(times(rate, from: 20 + 1 / rate, to: 40)) { _ in upright(270) }
        #expect(second.map(\.orientation) == [.landscapeRight])
        #expect((second.first?.time ?? 99) <= 20 + 2 / rate + 0.3)
    }

    @Test("While the acceleration is strong, and half a second after it, the orientation is frozen")
    func frozen() {
        var detector = known(upright(0), rate: 100)
        // Turned over while being shaken hard at 4 Hz. The zero crossings are calm samples among strong ones.
        let shaken = detector.feed(times(100, from: 1.01, to: 3)) { time in
            upright(90) + SIMD3(0, 0, 2.5) * sin(8 * .pi * time)
        }
        #expect(shaken.isEmpty)
        let calm = detector.feed(times(100, from: 3.01, to: 5)) { _ in upright(90) }
        #expect(calm.map(\.orientation) == [.landscapeLeft])
        let delay = (calm.first?.time ?? 0) - 3
        // 0.5 s to settle and 0.2 s to hold, from the last strong sample, up to 0.03 s before.
        #expect(delay > 0.66 && delay < 0.75)
    }

    @Test("A device that is shaken from the start is unknown until it is calm")
    func strongStart() {
        var detector = OrientationDetector()
        let changes = detector.feed(times(50, to: 4)) { $0 < 1 ? SIMD3(3, 0, 0) : upright(180) }
        #expect(changes.map(\.orientation) == [.portraitUpsideDown])
        #expect(abs((changes.first?.time ?? 0) - 1.68) < 0.05)
    }

    @Test("Shaking and a fall leave the recorded orientation as it is")
    func recordings() throws {
        for (name, expected) in [("shake", DeviceOrientation.portrait), ("free-fall", .faceUp)] {
            var detector = OrientationDetector()
            let changes = try Recording.industrial(name).compactMap {
                detector.update(acceleration: $0.acceleration, timestamp: $0.time)
            }
            #expect(changes == [expected])
        }
    }

    @Test("A phone upside down in a trouser pocket stays so, standing and jogging")
    func pocket() throws {
        for name in ["std_6_sub9", "jog_16_sub5"] {
            var detector = OrientationDetector()
            let changes = try Recording.coreMotion(name).compactMap {
                detector.update(acceleration: $0.acceleration, timestamp: $0.time)
            }
            // Jogging may never be calm for long enough; then nothing is said.
            #expect(changes == [.portraitUpsideDown] || (name.hasPrefix("jog") && changes.isEmpty))
        }
    }

    @Test("In free fall there is no direction, and nothing changes")
    func freeFall() {
        var random = SeededGenerator(seed: 11)
        var detector = known(SIMD3(0, 0, -1))
        let changes = detector.feed(times(50, from: 1.02, to: 20)) { _ in random.normal(0.02) }
        #expect(changes.isEmpty)
    }

    @Test("Turned to and fro too fast to follow, no orientation is made up")
    func flutter() {
        var detector = known(SIMD3(0, 0, -1))
        // Left and right change at 25 Hz. Their mean is 0.2 g along the screen: an offset as likely as a direction.
        var sign = 1.0
        let changes = detector.feed(times(50, from: 1.02, to: 10)) { _ in
            sign = -sign
            return SIMD3(sign, -0.2, 0)
        }
        #expect(changes.isEmpty)
    }

    @Test("Samples and time stamps that are no numbers change nothing")
    func notFinite() {
        var detector = OrientationDetector()
        var changes: [DeviceOrientation] = []
        for index in 0..<100 {
            let time = Double(index) * 0.02
            let bad: [(SIMD3<Double>, Double)] = [
                (SIMD3(.nan, 0, 0), time), (SIMD3(0, .infinity, 0), time), (upright(90), .nan),
                (upright(90), .infinity), (upright(90), -.infinity), (SIMD3(repeating: 1e300), time - 0.1),
            ]
            for (sample, stamp) in bad { #expect(detector.update(acceleration: sample, timestamp: stamp) == nil) }
            if let new = detector.update(acceleration: upright(0), timestamp: time) { changes.append(new) }
        }
        #expect(changes == [.portrait])
    }

    @Test("Repeated and late samples are left out")
    func lateSamples() {
        var detector = known(upright(0))
        for _ in 0..<1000 {
            #expect(detector.update(acceleration: upright(90), timestamp: 1) == nil)
            #expect(detector.update(acceleration: upright(90), timestamp: 0.9) == nil)
        }
        #expect(detector.orientation == .portrait)
    }

    @Test("A clock that is set back begins a new stream and does not stay frozen")
    func clockSetBack() {
        var detector = OrientationDetector()
        _ = detector.feed(times(50, from: 5000, to: 5001)) { _ in upright(0) }
        // Frozen until 5001.5 of the old clock.
        _ = detector.update(acceleration: SIMD3(4, 0, 0), timestamp: 5001.02)
        let changes = detector.feed(times(50, from: 3, to: 6)) { _ in upright(90) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
        #expect((changes.first?.time ?? 9) < 3.8)
    }

    @Test("One wrong time stamp far ahead does not stop the stream")
    func stampFarAhead() {
        var detector = known(upright(0))
        _ = detector.update(acceleration: upright(0), timestamp: 1e12)
        let changes = detector.feed(times(50, from: 1.04, to: 3)) { _ in upright(90) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
    }
}
