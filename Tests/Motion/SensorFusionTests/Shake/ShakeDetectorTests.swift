// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

@Suite("Shake detector")
struct ShakeDetectorTests {
    @Test("A short shake along any axis begins and ends once at each sample rate", arguments: [20.0, 25, 50, 100, 200])
    func shortShake(rate: Double) {
        var random = SeededGenerator(seed: 20)
        // With fewer than three samples per period, some strokes are not sampled.
        for frequency in [2.5, 3, 4, 5, 6, 7, 8] where 3 * frequency <= rate {
            for _ in 0..<20 {
                let axis = random.direction()
                let sideways = cross(axis, random.direction()) * 0.3
                let shaking = Shaking(frequency: frequency, axis: axis, sideways: sideways, gravity: random.direction())
                var detector = ShakeDetector()
                let stamps = random.times(rate: rate, until: 6, jitter: 0.3)
                let events = detector.feed(stamps) { shaking($0) + random.normal(0.02) }
                #expect(events.map(\.event) == [.began, .ended], "\(frequency) Hz at \(rate) Hz: \(events)")
                guard events.count == 2 else { continue }
                #expect(events[0].time > 2.2 && events[0].time < 2.9 + 1 / rate, "\(events)")
                #expect(events[1].time > 2.9 && events[1].time < 3.4 + 2 / rate, "\(events)")
                #expect(!detector.isShaking)
            }
        }
    }

    @Test("Continuous shaking is cancelled once after about a second and then ignored until it stops")
    func longShake() {
        for duration in [1.6, 3, 20] {
            for rate in [20.0, 50, 200] {
                var detector = ShakeDetector()
                let shaking = Shaking(duration: duration)
                let stop = 2 + duration
                let events = detector.feed(times(rate, to: stop + 0.5)) { shaking($0) }
                #expect(events.map(\.event) == [.began, .cancelled])
                guard events.count == 2 else { continue }
                // The direction reverses every 0.125 s, and the first stroke is within the first of these intervals.
                #expect(events[0].time > 2.3 && events[0].time < 2.6)
                #expect(events[1].time > 3.2 && events[1].time < 3.45)
                // Shaking that resumes before one second of calm belongs to the same movement.
                let soon = Shaking(start: stop + 0.7)
                let still = detector.feed(times(rate, from: stop + 0.5 + 1 / rate, to: stop + 2.5)) { soon($0) }
                #expect(still.isEmpty)
                // A movement 1.1 s after its end is a new shake.
                let later = Shaking(start: stop + 2.7)
                let shake = detector.feed(times(rate, from: stop + 2.5 + 1 / rate, to: stop + 5)) { later($0) }
                #expect(shake.map(\.event) == [.began, .ended])
            }
        }
    }

    @Test("Two shakes one second apart are both detected, and strokes within the refractory time are ignored")
    func refractory() {
        var detector = ShakeDetector()
        let first = Shaking(start: 1, duration: 0.8)
        let second = Shaking(start: 2.9, duration: 0.8)
        let events = detector.feed(times(100, to: 6)) { $0 < 2.5 ? first($0) : second($0) }
        #expect(events.map(\.event) == [.began, .ended, .began, .ended])

        // After a pause of half a second, the second movement begins too early for a new shake.
        detector = ShakeDetector()
        let early = Shaking(start: 2.3, duration: 0.5)
        let one = detector.feed(times(100, to: 6)) { $0 < 2.3 ? first($0) : early($0) }
        #expect(one.map(\.event) == [.began, .ended])
    }

    @Test("Weak, short, slow or one-sided movements are not detected as a shake")
    func notShaking() {
        let weak = Shaking(duration: 5, amplitude: 1.2)
        let few = Shaking(duration: 0.25)
        let slow = Shaking(duration: 5, frequency: 1, amplitude: 3)
        let oneWay: (Double) -> SIMD3<Double> = { time in
            SIMD3(max(0, 3 * sin(8 * .pi * time)) - 0.9, -1, 0)
        }
        for movement in [weak.callAsFunction, few.callAsFunction, slow.callAsFunction, oneWay] {
            for rate in [20.0, 50, 200] {
                var detector = ShakeDetector()
                #expect(detector.feed(times(rate, to: 8), movement).isEmpty)
            }
        }
    }

    @Test("Rotations at any speed, once, back and forth or continuously, are not detected as a shake")
    func turning() {
        var random = SeededGenerator(seed: 21)
        for rate in [20.0, 50, 100, 200] {
            // Back and forth over an angle, as fast as the period permits, which is impossible by hand without
            // acceleration.
            for period in [0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 2, 3] {
                for range in [90.0, 180] {
                    for turnTime in [0.02, 0.1, 0.3] {
                        let axis = SIMD3<Double>(0, 0, 1)
                        var detector = ShakeDetector()
                        let events = detector.feed(times(rate, to: 10)) { time in
                            guard time > 2 else { return upright(0) }
                            let phase = ((time - 2) / period).truncatingRemainder(dividingBy: 1)
                            let ramp = min(1, turnTime / period)
                            let share = phase < 0.5 ? min(1, phase / ramp) : 1 - min(1, (phase - 0.5) / ramp)
                            return rotate(upright(0), about: axis, by: share * range * .pi / 180)
                        }
                        #expect(events.isEmpty, "\(rate) \(period) \(range) \(turnTime)")
                    }
                }
            }
            // Rotations about any axis with up to ten turns per second.
            for turns in [0.1, 0.25, 0.5, 1, 2, 3, 5, 10] {
                let axis = random.direction()
                var detector = ShakeDetector()
                let events = detector.feed(times(rate, to: 10)) { time in
                    rotate(upright(0), about: axis, by: time < 2 ? 0 : 2 * .pi * turns * (time - 2))
                }
                #expect(events.isEmpty, "\(rate) \(turns)")
            }
        }
    }

    @Test("Single and repeated taps with ringing are not detected as a shake", arguments: [20.0, 50, 100, 200])
    func taps(rate: Double) {
        var random = SeededGenerator(seed: 22)
        for spacing in [10.0, 0.5, 0.25] {
            for _ in 0..<20 {
                let offset = Double.random(in: 0..<0.02, using: &random)
                var detector = ShakeDetector()
                // 6 g with ringing at 90 Hz that decays within a few hundredths of a second.
                let events = detector.feed(times(rate, to: 10)) { time in
                    let since = (time - 1 - offset).truncatingRemainder(dividingBy: spacing)
                    guard time > 1, since >= 0 else { return SIMD3(0, 0, -1) }
                    return SIMD3(0, 0, -1 - 6 * exp(-since / 0.012) * cos(2 * .pi * 90 * since))
                }
                #expect(events.isEmpty, "\(spacing)")
            }
        }
    }

    @Test("A fall with impact and bounces is not detected as a shake", arguments: [20.0, 50, 100, 200])
    func fall(rate: Double) {
        // The durations of a fall from a table and of bounces on the floor, with impacts of 30 ms in between.
        let flights = [0.4, 0.25, 0.15, 0.1, 0.06]
        for shift in stride(from: 0.0, to: 0.05, by: 0.005) {
            var detector = ShakeDetector()
            let events = detector.feed(times(rate, to: 5)) { time in
                var start = 1 + shift
                guard time >= start else { return SIMD3(0, 0, -1) }
                for (index, flight) in flights.enumerated() {
                    if time < start + flight { return .zero }
                    if time < start + flight + 0.03 { return SIMD3(0.5, -0.8, -8 / Double(index + 1)) }
                    start += flight + 0.03
                }
                return SIMD3(0, 0, -1)
            }
            #expect(events.isEmpty, "\(shift)")
        }
    }

    @Test("A vibrating machine causes at most one shake, and that one is cancelled")
    func vibration() {
        for frequency in [11.0, 23, 50, 77] {
            for rate in [50.0, 100, 200] {
                var detector = ShakeDetector()
                let vibrating = Shaking(duration: 20, frequency: frequency, amplitude: 3)
                let events = detector.feed(times(rate, to: 24)) { vibrating($0) }
                #expect(events.isEmpty || events.map(\.event) == [.began, .cancelled])
            }
        }
    }

    @Test("A vibration motor that runs for half a second is not detected as a shake", arguments: [23.0, 40, 90])
    func buzz(frequency: Double) {
        for rate in [100.0, 200] where rate > 2.2 * frequency {
            var detector = ShakeDetector()
            let buzzing = Shaking(duration: 0.5, frequency: frequency, amplitude: 4)
            #expect(detector.feed(times(rate, to: 5)) { buzzing($0) }.isEmpty)
        }
    }

    @Test("A shake that starts with a sideways movement is detected")
    func sideways() {
        var detector = ShakeDetector()
        let shaking = Shaking(start: 2.1, duration: 0.6)
        let events = detector.feed(times(100, to: 5)) { time in
            time > 2 && time < 2.1 ? SIMD3(0, -1, 1.6) : shaking(time)
        }
        #expect(events.map(\.event) == [.began, .ended])
    }

    @Test("A shake does not change the orientation, and a rotation is not detected as a shake")
    func noCollision() {
        var shake = ShakeDetector()
        var orientation = OrientationDetector()
        let shaking = Shaking()
        var shakes: [ShakeEvent] = []
        var orientations: [DeviceOrientation] = []
        for time in times(50, to: 10) {
            // At 6 s, the device is rotated to landscape within a quarter of a second.
            let sample = time < 6 ? shaking(time) : upright(min(90, (time - 6) * 360))
            if let event = shake.update(acceleration: sample, timestamp: time) { shakes.append(event) }
            if let new = orientation.update(acceleration: sample, timestamp: time) { orientations.append(new) }
        }
        #expect(shakes == [.began, .ended])
        #expect(orientations == [.portrait, .landscapeLeft])
    }

    @Test("Settings change the thresholds")
    func settings() {
        var settings = ShakeSettings()
        settings.threshold = 3
        var detector = ShakeDetector(settings: settings)
        #expect(detector.settings == settings)
        let shaking = Shaking()
        #expect(detector.feed(times(100, to: 5)) { shaking($0) }.isEmpty)
        settings.threshold = 1.3
        settings.maximumDuration = 0.6
        detector = ShakeDetector(settings: settings)
        #expect(detector.feed(times(100, to: 5)) { shaking($0) }.map(\.event) == [.began, .cancelled])
        settings.maximumDuration = 1.2
        settings.reversals = 9
        detector = ShakeDetector(settings: settings)
        #expect(detector.feed(times(100, to: 5)) { shaking($0) }.isEmpty)
    }
}
