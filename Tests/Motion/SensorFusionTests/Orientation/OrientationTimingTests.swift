// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Device orientation: timing, gaps and disturbances")
struct OrientationTimingTests {
    private func known(_ start: SIMD3<Double>, rate: Double = 50) -> OrientationDetector {
        var detector = OrientationDetector()
        _ = detector.feed(times(rate, to: 1)) { _ in start }
        return detector
    }

    @Test("A quick rotation is reported within 0.5 s, and a shorter pose never", arguments: [10.0, 20, 50, 200])
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

    @Test("A sample after a gap does not complete the hold time")
    func gap() {
        var detector = known(upright(0))
        // Landscape for 0.19 s is not sufficient. The filter needs about a tenth of a second to change its direction.
        let before = detector.feed(times(100, from: 1.01, to: 1.2)) { _ in upright(90) }
        #expect(before.isEmpty)
        // A single landscape sample an hour later is not sufficient.
        let after = detector.feed(times(100, from: 3601.2, to: 3603)) { _ in upright(90) }
        #expect(after.map(\.orientation) == [.landscapeLeft])
        #expect(abs((after.first?.time ?? 0) - 3601.4) < 1e-6)
    }

    @Test("A gap resets the filtered direction but keeps the orientation until a new one is detected")
    func staleDirection() {
        var detector = known(upright(0))
        let changes = detector.feed(times(100, from: 10, to: 12)) { _ in upright(180) }
        // Only the hold time applies, without the low-pass filter's transition from portrait.
        #expect(changes == [OrientationChange(time: changes.first?.time ?? 0, orientation: .portraitUpsideDown)])
        #expect(abs((changes.first?.time ?? 0) - 10.2) < 1e-6)
    }

    @Test("A slow but regular stream is tracked from 0.5 Hz", arguments: [0.5, 1, 2, 4])
    func slowStreams(rate: Double) {
        var detector = OrientationDetector()
        let first = detector.feed(times(rate, to: 20)) { _ in upright(0) }
        #expect(first.map(\.orientation) == [.portrait])
        let second = detector.feed(times(rate, from: 20 + 1 / rate, to: 40)) { _ in upright(270) }
        #expect(second.map(\.orientation) == [.landscapeRight])
        #expect((second.first?.time ?? 99) <= 20 + 2 / rate + 0.3)
    }

    @Test("During strong acceleration and for half a second afterwards, the orientation does not change")
    func frozen() {
        var detector = known(upright(0), rate: 100)
        // The device is rotated while being shaken strongly at 4 Hz. Samples at zero crossings are calm.
        let shaken = detector.feed(times(100, from: 1.01, to: 3)) { time in
            upright(90) + SIMD3(0, 0, 2.5) * sin(8 * .pi * time)
        }
        #expect(shaken.isEmpty)
        let calm = detector.feed(times(100, from: 3.01, to: 5)) { _ in upright(90) }
        #expect(calm.map(\.orientation) == [.landscapeLeft])
        let delay = (calm.first?.time ?? 0) - 3
        // 0.5 s to settle and 0.2 s to hold after the last strong sample, which is up to 0.03 s earlier.
        #expect(delay > 0.66 && delay < 0.75)
    }

    @Test("The orientation of a device that is shaken from the start is unknown until it is calm")
    func strongStart() {
        var detector = OrientationDetector()
        let changes = detector.feed(times(50, to: 4)) { $0 < 1 ? SIMD3(3, 0, 0) : upright(180) }
        #expect(changes.map(\.orientation) == [.portraitUpsideDown])
        #expect(abs((changes.first?.time ?? 0) - 1.68) < 0.05)
    }

    @Test("A recorded shake and a recorded fall do not change the orientation")
    func recordings() throws {
        for (name, expected) in [("shake", DeviceOrientation.portrait), ("free-fall", .faceUp)] {
            var detector = OrientationDetector()
            let changes = try Recording.industrial(name).compactMap {
                detector.update(acceleration: $0.acceleration, timestamp: $0.time)
            }
            #expect(changes == [expected])
        }
    }

    @Test("A phone upside down in a trouser pocket keeps its orientation while standing and jogging")
    func pocket() throws {
        for name in ["std_6_sub9", "jog_16_sub5"] {
            var detector = OrientationDetector()
            let changes = try Recording.coreMotion(name).compactMap {
                detector.update(acceleration: $0.acceleration, timestamp: $0.time)
            }
            // While jogging, the phone may never be calm for long enough to detect an orientation.
            #expect(changes == [.portraitUpsideDown] || (name.hasPrefix("jog") && changes.isEmpty))
        }
    }

    @Test("In free fall, the orientation does not change")
    func freeFall() {
        var random = SeededGenerator(seed: 11)
        var detector = known(SIMD3(0, 0, -1))
        let changes = detector.feed(times(50, from: 1.02, to: 20)) { _ in random.normal(0.02) }
        #expect(changes.isEmpty)
    }

    @Test("Oscillation that is too fast to track yields no orientation")
    func flutter() {
        var detector = known(SIMD3(0, 0, -1))
        // Left and right alternate at 25 Hz. The mean of 0.2 g along the screen may be an offset or a direction.
        var sign = 1.0
        let changes = detector.feed(times(50, from: 1.02, to: 10)) { _ in
            sign = -sign
            return SIMD3(sign, -0.2, 0)
        }
        #expect(changes.isEmpty)
    }

    @Test("Non-finite samples and timestamps are ignored")
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

    @Test("Repeated and late samples are ignored")
    func lateSamples() {
        var detector = known(upright(0))
        for _ in 0..<1000 {
            #expect(detector.update(acceleration: upright(90), timestamp: 1) == nil)
            #expect(detector.update(acceleration: upright(90), timestamp: 0.9) == nil)
        }
        #expect(detector.orientation == .portrait)
    }

    @Test("After the clock is set back, detection restarts and is not suspended")
    func clockSetBack() {
        var detector = OrientationDetector()
        _ = detector.feed(times(50, from: 5000, to: 5001)) { _ in upright(0) }
        // Detection is suspended until 5001.5 s of the old clock.
        _ = detector.update(acceleration: SIMD3(4, 0, 0), timestamp: 5001.02)
        let changes = detector.feed(times(50, from: 3, to: 6)) { _ in upright(90) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
        #expect((changes.first?.time ?? 9) < 3.8)
    }

    @Test("A single timestamp far in the future does not stop detection")
    func stampFarAhead() {
        var detector = known(upright(0))
        _ = detector.update(acceleration: upright(0), timestamp: 1e12)
        let changes = detector.feed(times(50, from: 1.04, to: 3)) { _ in upright(90) }
        #expect(changes.map(\.orientation) == [.landscapeLeft])
    }
}
