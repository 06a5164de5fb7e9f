// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import Testing

/// What each recording is, and so what is right for it, is in Recordings/README.md.
@Suite("Shaking: recordings")
struct ShakeRecordingTests {
    @Test("Shaking for one and a half seconds begins and is cancelled: a shake lasts about a second")
    func shake() throws {
        var detector = ShakeDetector()
        let events = detector.feed(try Recording.industrial("shake"))
        #expect(events.map(\.event) == [.began, .cancelled])
        guard events.count == 2 else { return }
        // 4 Hz from 2.0 s on: the third reversal lies in the fourth half period, 2.375 to 2.5 s. A second and a fifth
        // after the first stroke is past 3.2 s, and the next reversal comes within an eighth.
        #expect(events[0].time > 2.375 && events[0].time < 2.5)
        #expect(events[1].time > 3.2 && events[1].time < 3.4)
    }

    @Test("The first second of that recording alone is a shake")
    func firstSecond() throws {
        var detector = ShakeDetector()
        let recording = try Recording.industrial("shake").filter { $0.time < 3 || $0.time >= 3.5 }
        let calm = recording.map { sample in
            // The gap that was cut out is closed.
            Recording.Sample(
                time: sample.time < 3 ? sample.time : sample.time - 0.5, acceleration: sample.acceleration,
                gravity: .zero)
        }
        let events = detector.feed(calm)
        #expect(events.map(\.event) == [.began, .ended])
        #expect((events.last?.time ?? 0) < 3.5)
    }

    @Test("A fall of 0.4 s with its impact is no shake")
    func fall() throws {
        var detector = ShakeDetector()
        #expect(detector.feed(try Recording.industrial("free-fall")).isEmpty)
    }

    @Test("Standing is no shake, and neither is walking down stairs")
    func standingAndStairs() throws {
        for name in ["std_6_sub9", "dws_1_sub1"] {
            var detector = ShakeDetector()
            #expect(detector.feed(try Recording.coreMotion(name)).isEmpty)
        }
    }

    @Test("Jogging is no shake: the peaks of its steps are too short and too uneven")
    func jogging() throws {
        let recording = try Recording.coreMotion("jog_16_sub5")
        var detector = ShakeDetector()
        #expect(detector.feed(recording).isEmpty)
        // Where a lower threshold takes the steps for strokes, they go on for longer than a second: cancelled.
        for threshold in [1.1, 1.2] {
            var settings = ShakeSettings()
            settings.threshold = threshold
            detector = ShakeDetector(settings: settings)
            #expect(!detector.feed(recording).map(\.event).contains(.ended))
        }
    }
}
