// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import Testing

/// Recordings/README.md describes each recording and the expected result.
@Suite("Shake detector: recordings")
struct ShakeRecordingTests {
    @Test("Shaking for 1.5 s begins and is cancelled because a shake lasts about one second")
    func shake() throws {
        var detector = ShakeDetector()
        let events = detector.feed(try Recording.industrial("shake"))
        #expect(events.map(\.event) == [.began, .cancelled])
        guard events.count == 2 else { return }
        // At 4 Hz from 2.0 s, the third reversal is in the fourth half period, from 2.375 to 2.5 s. The maximum
        // duration of 1.2 s after the first stroke ends after 3.2 s, and the next reversal follows within 0.125 s.
        #expect(events[0].time > 2.375 && events[0].time < 2.5)
        #expect(events[1].time > 3.2 && events[1].time < 3.4)
    }

    @Test("The first second of the recording alone is a shake")
    func firstSecond() throws {
        var detector = ShakeDetector()
        let recording = try Recording.industrial("shake").filter { $0.time < 3 || $0.time >= 3.5 }
        let calm = recording.map { sample in
            // Closes the gap of the removed part.
            Recording.Sample(
                time: sample.time < 3 ? sample.time : sample.time - 0.5, acceleration: sample.acceleration,
                gravity: .zero)
        }
        let events = detector.feed(calm)
        #expect(events.map(\.event) == [.began, .ended])
        #expect((events.last?.time ?? 0) < 3.5)
    }

    @Test("A fall of 0.4 s with its impact is not detected as a shake")
    func fall() throws {
        var detector = ShakeDetector()
        #expect(detector.feed(try Recording.industrial("free-fall")).isEmpty)
    }

    @Test("Standing and walking down stairs are not detected as a shake")
    func standingAndStairs() throws {
        for name in ["std_6_sub9", "dws_1_sub1"] {
            var detector = ShakeDetector()
            #expect(detector.feed(try Recording.coreMotion(name)).isEmpty)
        }
    }

    @Test("Jogging is not detected as a shake because the peaks of its steps are too short and uneven")
    func jogging() throws {
        let recording = try Recording.coreMotion("jog_16_sub5")
        var detector = ShakeDetector()
        #expect(detector.feed(recording).isEmpty)
        // With a lower threshold, steps are detected as strokes. They last longer than one second, so the shake is
        // cancelled.
        for threshold in [1.1, 1.2] {
            var settings = ShakeSettings()
            settings.threshold = threshold
            detector = ShakeDetector(settings: settings)
            #expect(!detector.feed(recording).map(\.event).contains(.ended))
        }
    }
}
