// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Synchronization
import TestSupport
import Testing
import Trace

@Suite("Playback filters", .timeLimit(.minutes(30)))
struct FilterTests {
    private static let gyroscope = [
        #"{"t":0.5,"gyroscope":[1,2,3],"stamp":0.25}"#, #"{"t":1.5,"gyroscope":[4,5,6]}"#,
        #"{"t":2.5,"gyroscope":[7,8,9],"stamp":2.25}"#,
    ]

    private static func readings(_ device: SimulatedDevice) -> (ValueLog<String>, Subscription) {
        let log = ValueLog<String>()
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
            switch event {
            case .samples(let batch):
                for (value, time) in zip(batch.values, batch.times) { log.add("\(time.seconds) \(value.x)") }
            case .lost(let error): log.add("lost \(error.code)")
            case .regained: log.add("regained")
            }
        }
        return (log, subscription)
    }

    @Test("A filter that returns nil changes nothing and receives each event with its time")
    func leavesAll() throws {
        let device = try ControlTests.device(3, Self.gyroscope) { _ in }
        let (log, subscription) = ControlTests.listen(device)
        let (motion, other) = Self.readings(device)
        let times = Mutex<[Int64]>([])
        device.filter(
            by: PlaybackFilter(includesSamples: true) { event in
                times.withLock { $0.append(event.time ?? -1) }
                return nil
            })
        playSynchronously(device)
        #expect(log.all == ["100.0 0.0 10.0", "101.0 1.0 11.0", "102.0 2.0 12.0"])
        #expect(motion.all == ["100.25 1.0", "101.5 4.0", "102.25 7.0"])
        #expect(times.withLock { $0 } == [0, 500, 1000, 1500, 2000, 2500].map { $0 * 1_000_000 })
        subscription.cancel()
        other.cancel()
    }

    @Test("A filter replaces an event with no event, another event or several events")
    func replaces() throws {
        let device = try ControlTests.device(4, Self.gyroscope) { _ in }
        let (log, subscription) = ControlTests.listen(device)
        let (motion, other) = Self.readings(device)
        let line =
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-05-01T10:00:09.000Z","lat":50,"lon":11}"#
        device.filter(
            by: PlaybackFilter(includesSamples: true) { event in
                switch (event.contents, event.time) {
                case (.gpsd, 0): return []
                case (.gpsd, 1_000_000_000): return [TraceEvent(time: event.time, .gpsd(Array(line.utf8)))]
                case (.gpsd, 2_000_000_000):
                    let error = DeviceError(.connectionLost, "Gone.")
                    return [TraceEvent(time: event.time, .lost(error)), TraceEvent(time: event.time, .regained), event]
                case (.sample(let value, let kind, let sensor, let stamp), let time?) where time < 2_000_000_000:
                    return [TraceEvent(time: time, .sample(value * 2, kind: kind, sensor: sensor, stamp: stamp))]
                case (.sample(_, _, let sensor, _), _):
                    let error = DeviceError(.connectionLost, "Gone.")
                    return [event, TraceEvent(time: event.time, .sensorLost(error, sensor: sensor))]
                default: return nil
                }
            })
        playSynchronously(device)
        #expect(
            log.all == [
                "101.0 9.0 50.0", "102.0 lost connectionLost", "regained", "102.0 2.0 12.0", "103.0 3.0 13.0",
            ])
        #expect(motion.all == ["100.25 2.0", "101.5 8.0", "102.25 7.0", "lost connectionLost"])
        subscription.cancel()
        other.cancel()
    }

    @Test("Playback continues as recorded after its filter is removed")
    func removed() throws {
        let device = try ControlTests.device(3, Self.gyroscope) { _ in }
        let (motion, other) = Self.readings(device)
        device.filter(by: PlaybackFilter(includesSamples: true) { _ in [] })
        device.advance(by: 1)
        device.filter(by: PlaybackFilter(includesSamples: false) { _ in [] })
        device.advance(by: 1)
        device.filter(by: nil)
        playSynchronously(device)
        #expect(motion.all == ["101.5 4.0", "102.25 7.0"])
        other.cancel()
    }
}
