// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Playback of motion and battery", .timeLimit(.minutes(30)))
struct MotionPlaybackTests {
    static let start =
        #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":100}"#

    private func file(_ members: String = "", _ events: String...) throws -> TraceFile {
        try Drive.file([Self.start + members + "}"] + events, name: "motion")
    }

    /// Formats a batch as "100.25 accelerometer 1.0,2.0,3.0@100.24".
    private func text(_ event: MotionEvent) -> String {
        switch event {
        case .samples(let batch):
            let samples = zip(batch.values, batch.times).map { "\($0.x),\($0.y),\($0.z)@\($1.seconds)" }
            return "\(batch.arrival.seconds) \(batch.sensor) \(samples.joined(separator: " "))"
        case .lost(let error): return "lost \(error.code)"
        case .regained: return "regained"
        }
    }

    /// Plays the trace with one subscriber for each kind and returns their events as text.
    private func play(
        _ trace: TraceFile, axes: MotionRequest.Axes = .device, configuration: Configuration = Configuration()
    ) -> [String] {
        let device = SimulatedDevice(trace, configuration: configuration)
        let log = ValueLog<String>()
        let subscriptions = SensorKind.allCases.map { kind in
            device.device.motionSource.subscribe(MotionRequest(kind: kind, axes: axes)) { log.add(text($0)) }
        }
        playSynchronously(device)
        for subscription in subscriptions { subscription.cancel() }
        return log.all
    }

    @Test("Consecutive readings of one sensor at one time form one batch on the device's clock")
    func batches() throws {
        let trace = try file(
            "", #"{"t":0.25,"accelerometer":[1,2,3],"stamp":0.125}"#,
            #"{"t":0.25,"accelerometer":[4,5,6],"stamp":0.1875}"#,
            #"{"t":0.25,"gyroscope":[1,1,1]}"#, #"{"t":0.25,"accelerometer":[7,8,9]}"#,
            #"{"t":0.5,"accelerometer":[1,2,3]}"#, #"{"t":0.5,"pressure":100}"#,
            #"{"t":0.5,"accelerometer":[1,2,3],"stamp":0.5}"#, #"{"t":0.5,"accelerometer":[1,2,3],"stamp":0.375}"#)
        #expect(
            play(trace) == [
                "100.25 accelerometer 1.0,2.0,3.0@100.125 4.0,5.0,6.0@100.1875", "100.25 gyroscope 1.0,1.0,1.0@100.25",
                "100.25 accelerometer 7.0,8.0,9.0@100.25", "100.5 accelerometer 1.0,2.0,3.0@100.5",
                "100.5 pressure 100.0,0.0,0.0@100.5",
                "100.5 accelerometer 1.0,2.0,3.0@100.5",
                // Times within a batch do not decrease. An earlier time begins a new batch.
                "100.5 accelerometer 1.0,2.0,3.0@100.375",
            ])
    }

    @Test("Batches have a maximum size, and no reading is lost")
    func longBatches() throws {
        let lines = (0..<2500).map { "{\"t\":1,\"gyroscope\":[\($0),0,0]}" }
        let device = SimulatedDevice(try Drive.file([Self.start + "}"] + lines))
        let log = ValueLog<MotionBatch>()
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
            if case .samples(let batch) = event { log.add(batch) }
        }
        playSynchronously(device)
        subscription.cancel()
        #expect(log.all.map(\.count) == [1024, 1024, 452])
        #expect(log.all.flatMap(\.values).map(\.x) == (0..<2500).map(Double.init))
    }

    @Test("The mount matrix of the header rotates readings unless the request asks for sensor axes")
    func mountMatrix() throws {
        // Sensor x is device y and sensor y is device -x: the first row yields device x.
        let trace = try file(
            #","sensors":[{"id":"accelerometer","kind":"accelerometer","mountMatrix":"0, -1, 0; 1, 0, 0; 0, 0, 1"},{"id":"pressure","kind":"pressure"}]"#,
            #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":1,"pressure":100}"#)
        #expect(play(trace) == ["101.0 accelerometer -2.0,1.0,3.0@101.0", "101.0 pressure 100.0,0.0,0.0@101.0"])
        #expect(play(trace, axes: .sensor).first == "101.0 accelerometer 1.0,2.0,3.0@101.0")
    }

    @Test("A configured mount matrix overrides the trace's, and the first matching setting applies")
    func configuredMatrix() throws {
        let trace = try file(
            #","sensors":[{"id":"accelerometer","kind":"accelerometer","name":"bma255","mountMatrix":"0, -1, 0; 1, 0, 0; 0, 0, 1"}]"#,
            #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":1,"gyroscope":[1,2,3]}"#)
        let rotated = MountMatrix([-1, 0, 0], [0, -1, 0], [0, 0, 1])
        func received(_ settings: SensorSetting...) -> [String] {
            var configuration = Configuration()
            configuration.sensors = Setting(settings, origin: .program)
            return play(trace, configuration: configuration).map { String($0.dropFirst(6)) }
        }
        let asInTrace = "accelerometer -2.0,1.0,3.0@101.0"
        let plainGyroscope = "gyroscope 1.0,2.0,3.0@101.0"
        #expect(
            received(
                SensorSetting(sensor: "somebody", mountMatrix: .identity),
                SensorSetting(sensor: "bma255", mountMatrix: rotated),
                SensorSetting(sensor: "*", mountMatrix: .identity)) == [
                    "accelerometer -1.0,-2.0,3.0@101.0", plainGyroscope,
                ])
        #expect(
            received(SensorSetting(sensor: "*", mountMatrix: rotated)) == [
                "accelerometer -1.0,-2.0,3.0@101.0", "gyroscope -1.0,-2.0,3.0@101.0",
            ])
        #expect(
            received(SensorSetting(sensor: "*", kind: .gyroscope, mountMatrix: rotated)) == [
                asInTrace, "gyroscope -1.0,-2.0,3.0@101.0",
            ])
        // The Windows convention yields -9.81 on the axis that points up, so all signs are inverted once more.
        #expect(
            received(SensorSetting(sensor: "*", mountMatrix: rotated, convention: .windows)) == [
                "accelerometer 1.0,2.0,-3.0@101.0", "gyroscope -1.0,-2.0,3.0@101.0",
            ])
        #expect(
            received(SensorSetting(sensor: "bma255", convention: .windows)) == [
                "accelerometer 2.0,-1.0,-3.0@101.0", plainGyroscope,
            ])
        #expect(
            received(SensorSetting(sensor: "*", convention: .raw)) == [
                "accelerometer 1.0,2.0,3.0@101.0", plainGyroscope,
            ])
        let singular = MountMatrix([1, 0, 0], [1, 0, 0], [0, 0, 1])
        #expect(received(SensorSetting(sensor: "*", mountMatrix: singular)) == [asInTrace, plainGyroscope])
    }

    @Test("The device knows the trace's sensors, contexts and battery before playback")
    func knownAtStart() throws {
        let trace = try file(
            #","sensors":[{"id":"a","kind":"accelerometer","name":"x","rates":[100]}],"contexts":["<c/>"],"battery":{"level":0.5,"state":"full"}"#,
            #"{"t":1,"gyroscope":[1,2,3],"sensor":"late"}"#)
        let device = SimulatedDevice(trace).device
        #expect(device.motionSource.sensors.map(\.id) == ["a", "late"])
        #expect(device.motionSource.sensors.map(\.mode) == [.recorded, .recorded])
        #expect(device.motionSource.sensors.first?.rates == .list([100]))
        #expect(device.motionSource.contextDescriptions == ["<c/>"])
        #expect(device.statusSource.battery == BatteryReading(level: 0.5, state: .full))
        let report = SimulatedDevice(try Drive.file(Drive.lines(1))).device
        #expect(report.motionSource.sensors.isEmpty)
        #expect(report.statusSource.battery == nil)
    }

    @Test("The loss and recovery of a sensor reach its subscribers, those of the position do not")
    func losses() throws {
        let trace = try file(
            "", #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":2,"lost":{"code":"silent"},"sensor":"accelerometer"}"#,
            #"{"t":2.5,"lost":{"code":"connectionLost"}}"#, #"{"t":3,"regained":true,"sensor":"accelerometer"}"#,
            #"{"t":4,"accelerometer":[1,2,3]}"#)
        #expect(
            play(trace) == [
                "101.0 accelerometer 1.0,2.0,3.0@101.0", "lost silent", "regained",
                "104.0 accelerometer 1.0,2.0,3.0@104.0",
            ])
    }

    @Test("The battery changes at the times of the trace")
    func battery() throws {
        let device = SimulatedDevice(
            try file(
                #","battery":{"level":0.5,"state":"unplugged"}"#,
                #"{"t":1,"battery":{"level":0.5,"state":"unplugged"}}"#,
                #"{"t":2,"battery":{"level":0.5,"state":"charging"}}"#, #"{"t":3,"battery":null}"#))
        let log = ValueLog<String>()
        let clock = device.device.clock
        let subscription = device.device.statusSource.subscribe { battery in
            log.add("\(clock.now.seconds) \(battery?.state.rawValue ?? "none")")
        }
        playSynchronously(device)
        subscription.cancel()
        #expect(log.all == ["102.0 charging", "103.0 none"])
        #expect(device.device.statusSource.battery == nil)
    }

    @Test("Positions, readings, timers and battery changes arrive in order of time")
    func order() throws {
        let report = #"{"class":"TPV","mode":3,"lat":48,"lon":11,"eph":5}"#
        let device = SimulatedDevice(
            try file(
                "", #"{"t":0.5,"gyroscope":[1,1,1],"stamp":0.4}"#, "{\"t\":1,\"gpsd\":\(report)}",
                #"{"t":1,"accelerometer":[1,2,3]}"#, #"{"t":1,"battery":{"state":"full"}}"#,
                #"{"t":2,"accelerometer":[1,2,3]}"#, #"{"t":2,"accelerometer":[1,2,3]}"#))
        let log = ValueLog<String>()
        let clock = device.device.clock
        var subscriptions = [
            device.device.positionSource.subscribe(PositionRequest()) { event in
                if case .report = event { log.add("\(clock.now.seconds) position") }
            },
            device.device.statusSource.subscribe { _ in log.add("\(clock.now.seconds) battery") },
        ]
        for kind in SensorKind.allCases {
            subscriptions.append(
                device.device.motionSource.subscribe(MotionRequest(kind: kind)) { event in
                    if case .samples(let batch) = event { log.add("\(clock.now.seconds) \(kind) \(batch.count)") }
                })
        }
        let timer = clock.timer(at: BootTime(nanoseconds: 101_500_000_000)) {
            log.add("\(clock.now.seconds) timer")
        }
        let expected = [
            "100.5 gyroscope 1", "101.0 position", "101.0 accelerometer 1", "101.0 battery", "101.5 timer",
            "102.0 accelerometer 2",
        ]
        // The first four steps end at 1 s. The batch of two readings is the fifth step.
        stepSynchronously(device, 4)
        #expect(log.all == Array(expected.prefix(4)))
        stepSynchronously(device, 1)
        #expect(log.all == expected)
        #expect(!device.step())
        for subscription in subscriptions { subscription.cancel() }
        timer.cancel()
    }

    @Test("Only text from gpsd is delivered as lines")
    func lines() throws {
        let device = SimulatedDevice(
            try file(
                "", #"{"t":1,"gpsdText":"$GP"}"#, #"{"t":2,"lost":{"code":"silent"}}"#, #"{"t":3,"regained":true}"#,
                #"{"t":3,"battery":null}"#, #"{"t":3,"accelerometer":[1,2,3]}"#,
                #"{"t":3,"lost":{},"sensor":"accelerometer"}"#, #"{"t":3,"gpsdText":""}"#))
        let log = ValueLog<String>()
        let subscription = device.device.positionSource.subscribe(PositionRequest(includesLines: true)) { event in
            if case .line(let line, let arrival) = event {
                log.add("\(arrival.seconds) \(String(decoding: line, as: UTF8.self))")
            }
        }
        playSynchronously(device)
        subscription.cancel()
        #expect(log.all == ["101.0 $GP", "103.0 "])
    }

    @Test("A subscriber that joins and leaves during playback receives the readings in between")
    func resubscribes() throws {
        let lines = (1...10).map { "{\"t\":\($0),\"accelerometer\":[\($0),0,0]}" }
        let device = SimulatedDevice(try Drive.file([Self.start + "}"] + lines))
        let log = ValueLog<Double>()
        stepSynchronously(device, 3)
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .accelerometer)) { event in
            if case .samples(let batch) = event { log.add(batch.values[0].x) }
        }
        stepSynchronously(device, 4)
        subscription.cancel()
        playSynchronously(device)
        #expect(log.all == [4, 5, 6, 7])
        #expect(device.device.clock.now.seconds == 110)
    }

    @Test("Damaged readings are skipped, and playback continues")
    func damaged() throws {
        let trace = try file(
            "", #"{"t":1,"accelerometer":[1,2,NaN]}"#, #"{"t":1,"accelerometer":[1,2]}"#,
            #"{"t":1,"lost":{},"sensor":"nobody"}"#, #"{"t":1,"accelerometer":[1,2,3],"stamp":9e99}"#,
            #"{"t":2,"accelerometer":[4,5,6],"stamp":-9e9}"#, #"{"t":3,"accelerometer":[7,8"#)
        let device = SimulatedDevice(trace)
        let log = ValueLog<String>()
        let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .accelerometer)) {
            log.add(text($0))
        }
        playSynchronously(device)
        subscription.cancel()
        #expect(
            log.all == [
                "101.0 accelerometer 1.0,2.0,3.0@101.0", "102.0 accelerometer 4.0,5.0,6.0@-8999999900.0",
            ])
        #expect(
            device.warnings.map(\.reason) == [
                .invalidReading, .invalidReading, .unknownSensor, .invalidMember, .malformedLine,
            ])
    }
}

func stepSynchronously(_ device: SimulatedDevice, _ count: Int) {
    for _ in 0..<count { device.step() }
}
