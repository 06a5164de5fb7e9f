// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import ExternalAccessory
import Foundation
import SimulatedDevice
import TestSupport
import Testing
import Trace

@Suite("Playback options", .timeLimit(.minutes(30)))
struct ControlTests {
    /// A trace that starts 100 s after boot, with one position each second and the given events merged in by time.
    static func file(_ count: Int = 10, header: String = "", _ events: [String] = []) throws -> TraceFile {
        let positions = (0..<count).map { second in
            let time = "2026-05-01T10:00:\(second < 10 ? "0" : "")\(second).000Z"
            return
                #"{"t":\#(second),"gpsd":{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(time)","lat":\#(10 + second),"lon":11}}"#
        }
        let all = TraceLines.inOrder(positions + events)
        return try Drive.file([MotionPlaybackTests.start + header + "}"] + all, name: "controls")
    }

    static func device(
        _ count: Int = 10, header: String = "", _ events: [String] = [], change: (inout PlaybackOptions) -> Void
    ) throws -> SimulatedDevice {
        var options = PlaybackOptions()
        change(&options)
        return SimulatedDevice(try file(count, header: header, events), options: options)
    }

    /// Subscribes to positions. Records each report as "103.0 3.0 13.0": the arrival and the receiver's time in
    /// seconds, and the latitude in degrees.
    static func listen(_ device: SimulatedDevice) -> (ValueLog<String>, Subscription) {
        let log = ValueLog<String>()
        let start = 1_777_629_600.0  // 2026-05-01T10:00:00Z
        let subscription = device.device.positionSource.subscribe(PositionRequest(includesAllReports: true)) { event in
            switch event {
            case .report(let report):
                let second = report.time.map { $0.seconds - start } ?? .nan
                log.add("\(report.arrival.seconds) \(second) \(report.latitude)")
            case .lost(let error): log.add("\(device.device.clock.now.seconds) lost \(error.code)")
            case .regained: log.add("regained")
            case .sky, .attitude, .line, .receivers: break
            }
        }
        return (log, subscription)
    }

    @Test("Playback covers the configured section, and both clocks begin at its start")
    func fromAndTo() throws {
        let device = try Self.device { options in
            options.from = .seconds(3)
            options.to = .seconds(5)
        }
        #expect(device.device.clock.now.seconds == 103)
        #expect(device.wallTime.seconds == 1_777_629_603)
        // The fix is one second old and available without a callback.
        #expect(device.device.positionSource.lastFix?.report.latitude == 12)
        #expect(device.device.positionSource.lastFix?.report.arrival.seconds == 102)
        let (log, subscription) = Self.listen(device)
        playSynchronously(device)
        #expect(log.all == ["103.0 3.0 13.0", "104.0 4.0 14.0", "105.0 5.0 15.0"])
        subscription.cancel()
    }

    @Test("Repeated loops keep the interval of the positions, and timestamps keep increasing")
    func rounds() throws {
        let device = try Self.device(3, [#"{"t":2.5,"gyroscope":[1,2,3],"stamp":2.25}"#]) { $0.loops = .times(3) }
        let (log, subscription) = Self.listen(device)
        let stamps = ValueLog<Double>()
        let motion = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
            if case .samples(let batch) = event { stamps.add(batch.times[0].seconds) }
        }
        playSynchronously(device)
        #expect(
            log.all == [
                "100.0 0.0 10.0", "101.0 1.0 11.0", "102.0 2.0 12.0", "103.0 3.0 10.0", "104.0 4.0 11.0",
                "105.0 5.0 12.0", "106.0 6.0 10.0", "107.0 7.0 11.0", "108.0 8.0 12.0",
            ])
        #expect(stamps.all == [102.25, 105.25, 108.25])
        subscription.cancel()
        motion.cancel()
    }

    @Test("With endless loops, play() runs one loop and advance(by:) continues without a limit")
    func endless() throws {
        let device = try Self.device(2) { $0.loops = .endless }
        let (log, subscription) = Self.listen(device)
        playSynchronously(device)
        #expect(log.all == ["100.0 0.0 10.0", "101.0 1.0 11.0"])
        playSynchronously(device)
        #expect(log.all.count == 4)
        device.advance(by: 1000)
        // The second loop ends and the third begins at 104 s. Time then advances to 1104 s.
        #expect(log.all.count == 4 + 1001)
        #expect(log.all.last == "1104.0 1004.0 10.0")
        #expect(device.step())
        subscription.cancel()
    }

    @Test("With endless loops, a trace whose events have the same time plays a limited number of passes per second")
    func endlessInstant() throws {
        let device = try Self.device(1) { $0.loops = .endless }
        let (log, subscription) = Self.listen(device)
        device.advance(by: 1)
        #expect(log.all.count == 101)
        subscription.cancel()
    }

    @Test("Numbers of passes below 2 are treated as 1", arguments: [Int.min, -1, 0, 1])
    func fewLoops(count: Int) throws {
        let device = try Self.device(2) { $0.loops = .times(count) }
        let (log, subscription) = Self.listen(device)
        playSynchronously(device)
        #expect(log.all.count == 2)
        subscription.cancel()
    }

    @Test("A trace whose times exceed the clock's range ends, even if a timer is due")
    func endOfTime() throws {
        let start =
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":9223372036}}"#
        let position = #""gpsd":{"class":"TPV","mode":3,"lat":10,"lon":11}"#
        let device = SimulatedDevice(
            try Drive.file([start, #"{"t":1,\#(position)}"#, #"{"t":2,\#(position)}"#], name: "end"))
        let (log, subscription) = Self.listen(device)
        let clock = device.device.clock
        let timer = clock.timer(at: clock.now) {}
        try device.play()
        #expect(log.all.count == 2)
        #expect(!device.step())
        withExtendedLifetime((timer, subscription)) {}
    }

    @Test(
        "A repeated section that ends on a position keeps the interval between positions",
        arguments: [
            (6.5, ["106.5 6.5 14.0", "107.5 7.5 15.0", "108.5 8.5 16.0"]),
            (6.0, ["107.0 7.0 14.0", "108.0 8.0 15.0", "109.0 9.0 16.0"]),
        ])
    func repeatsAPart(until end: Double, second: [String]) throws {
        let device = try Self.device { options in
            options.from = .seconds(4)
            options.to = .seconds(end)
            options.loops = .times(2)
        }
        let (log, subscription) = Self.listen(device)
        playSynchronously(device)
        #expect(log.all == ["104.0 4.0 14.0", "105.0 5.0 15.0", "106.0 6.0 16.0"] + second)
        subscription.cancel()
    }

    @Test("Endless playback of an empty section ends immediately")
    func emptyRounds() throws {
        let device = try Self.device { options in
            options.from = .seconds(60)
            options.loops = .endless
        }
        playSynchronously(device)
        #expect(!device.step())
        #expect(device.device.clock.now.seconds == 160)
    }

    @Test("Long gaps are shortened, and receivers, sensors and clocks stay consistent")
    func shortensGaps() throws {
        let device = try Self.device(
            2,
            [
                #"{"t":1000,"gyroscope":[1,2,3],"stamp":999.75}"#,
                #"{"t":1001,"gpsd":{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-05-01T10:16:41.000Z","lat":50,"lon":11}}"#,
            ]
        ) { $0.maximumGap = .seconds(2) }
        let (log, subscription) = Self.listen(device)
        let stamps = ValueLog<Double>()
        let motion = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
            if case .samples(let batch) = event { stamps.add(batch.times[0].seconds) }
        }
        playSynchronously(device)
        // The reading arrives two seconds after the position of 101 s, and the last position one second later.
        #expect(log.all == ["100.0 0.0 10.0", "101.0 1.0 11.0", "104.0 4.0 50.0"])
        #expect(stamps.all == [102.75])
        #expect(device.wallTime.seconds == 1_777_629_604)
        subscription.cancel()
        motion.cancel()
    }

    @Test("Only the selected streams are played")
    func choosesStreams() throws {
        let header =
            #","sensors":[{"id":"a","kind":"accelerometer"},{"id":"b","kind":"accelerometer"},{"id":"g","kind":"gyroscope"}],"battery":{"level":0.5,"state":"charging"}"#
        let events = [
            #"{"t":0.5,"accelerometer":[1,1,1],"sensor":"a"}"#, #"{"t":0.5,"accelerometer":[2,2,2],"sensor":"b"}"#,
            #"{"t":0.5,"gyroscope":[3,3,3],"sensor":"g"}"#, #"{"t":0.6,"attach":{"id":"1","name":"Scale"}}"#,
            #"{"t":0.7,"battery":{"level":0.25,"state":"unplugged"}}"#,
        ]
        let motion = try Self.device(header: header, events) { options in
            options.streams = TraceStreams(kinds: [.accelerometer], sensors: ["b"])
        }
        let (log, subscription) = Self.listen(motion)
        let values = ValueLog<Double>()
        let readings = SensorKind.allCases.map { kind in
            motion.device.motionSource.subscribe(MotionRequest(kind: kind)) { event in
                if case .samples(let batch) = event { values.add(batch.values[0].x) }
            }
        }
        playSynchronously(motion)
        #expect(motion.device.motionSource.sensors.map(\.id) == ["b"])
        #expect(values.all == [2])
        #expect(log.all.isEmpty)
        #expect(motion.device.statusSource.battery == nil)
        #expect(motion.device.accessorySource.accessories.isEmpty)
        // Events of other streams do not advance the clock.
        #expect(motion.device.clock.now.seconds == 100.5)
        subscription.cancel()
        for reading in readings { reading.cancel() }

        let rest = try Self.device(header: header, events) { options in
            options.streams = TraceStreams(positions: true, battery: true, accessories: true)
        }
        playSynchronously(rest)
        #expect(rest.device.motionSource.sensors.isEmpty)
        #expect(rest.device.statusSource.battery?.level == 0.25)
        #expect(rest.device.accessorySource.accessories.map(\.name) == ["Scale"])
        #expect(rest.device.positionSource.lastFix != nil)
    }

    @Test("Sensors and receivers are renamed and keep the calibration and mount matrix of the trace")
    func renames() throws {
        let device = try Self.device(
            2, header: #","sensors":[{"id":"a","kind":"gyroscope","mountMatrix":"0, 1, 0; 1, 0, 0; 0, 0, -1"}]"#,
            [#"{"t":0.5,"gyroscope":[1,2,3],"sensor":"a"}"#]
        ) { options in
            options.streams.names = ["a": "iio:device3", "/dev/ttyACM0": "/dev/gps0"]
            options.streams.sensors = ["a"]
        }
        let log = ValueLog<String>()
        let positions = device.device.positionSource.subscribe(PositionRequest(receiver: "/dev/gps0")) { event in
            if case .report(let report) = event { log.add("\(report.receiver) \(report.latitude)") }
        }
        let motion = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope, sensor: "iio:device3")) {
            if case .samples(let batch) = $0 { log.add("\(batch.sensor) \(batch.values[0].x)") }
        }
        playSynchronously(device)
        #expect(log.all == ["/dev/gps0 10.0", "iio:device3 2.0", "/dev/gps0 11.0"])
        positions.cancel()
        motion.cancel()
    }

    @Test(
        "If two sensors get the same name, only the first one played delivers readings and losses")
    func oneName() throws {
        let header =
            #","sensors":[{"id":"a","kind":"accelerometer"},{"id":"b","kind":"accelerometer","mountMatrix":"0, 1, 0; 1, 0, 0; 0, 0, -1"}]"#
        let events = [
            #"{"t":0.25,"accelerometer":[1,2,3],"sensor":"a"}"#, #"{"t":0.5,"accelerometer":[4,5,6],"sensor":"b"}"#,
            #"{"t":0.75,"lost":{"code":"silent","message":"gone"},"sensor":"b"}"#,
        ]
        let cases: [(Set<String>?, [String])] = [(nil, ["b 1.0"]), (["b"], ["b 5.0", "lost"])]
        for (streams, expected) in cases {
            let device = try Self.device(2, header: header, events) { options in
                options.streams.names = ["a": "b"]
                options.streams.sensors = streams
            }
            #expect(device.device.motionSource.sensors.map(\.id) == ["b"])
            let log = ValueLog<String>()
            let motion = device.device.motionSource.subscribe(MotionRequest(kind: .accelerometer)) { event in
                switch event {
                case .samples(let batch): log.add("\(batch.sensor) \(batch.values[0].x)")
                case .lost: log.add("lost")
                default: break
                }
            }
            playSynchronously(device)
            #expect(log.all == expected)
            motion.cancel()
        }
    }

    @Test("Positions without arrival timestamps advance time even outside the selected section")
    func unstamped() throws {
        var options = PlaybackOptions()
        options.from = .seconds(2)
        options.to = .seconds(3)
        let device = SimulatedDevice(try Drive.file(Drive.lines(6)), options: options)
        let (log, subscription) = Self.listen(device)
        playSynchronously(device)
        #expect(log.all == ["2.0 2.0 10.2", "3.0 3.0 10.3"])
        subscription.cancel()
    }
}
