// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Playback step by step and in real time", .timeLimit(.minutes(30)))
struct ProgressTests {
    private func subscribe(_ device: SimulatedDevice, _ log: ValueLog<Double>) -> LocationClient {
        let client = LocationClient()
        device.use {
            client.start { _, callback in
                if case .location(let location) = callback { log.add(location.coordinate.latitude) }
            }
        }
        return client
    }

    @Test("A step plays one event of the trace")
    func steps() throws {
        let device = try Drive.device(3)
        let log = ValueLog<Double>()
        let client = subscribe(device, log)
        for count in 1...3 {
            #expect(device.step())
            #expect(log.all == Drive.latitudes(count))
        }
        #expect(!device.step())
        #expect(client.manager?.location?.coordinate.latitude == 10.2)
    }

    @Test("advance(by:) advances time by exactly the given duration")
    func advances() throws {
        let device = try Drive.device(10)
        let log = ValueLog<Double>()
        let client = subscribe(device, log)
        let start = device.wallTime
        advanceSynchronously(device, by: 2.5)
        #expect(log.all == Drive.latitudes(3), "the reports of seconds 0, 1 and 2")
        #expect(device.wallTime.seconds(since: start) == 2.5)
        advanceSynchronously(device, by: 0.5)
        #expect(log.all == Drive.latitudes(4))
        advanceSynchronously(device, by: -1)
        #expect(device.wallTime.seconds(since: start) == 3, "time never goes back")
        advanceSynchronously(device, by: 100)
        #expect(log.all == Drive.latitudes(10))
        #expect(device.wallTime.seconds(since: start) == 103, "the time stopped at the end of the trace")
        #expect(client.manager != nil)
    }

    @Test("A request times out on the virtual clock without real delay")
    func timesOut() throws {
        let device = SimulatedDevice(try Drive.file([#"{"class":"TPV","mode":1}"#]))
        let log = ValueLog<Int>()
        let delegate = Listener { _, callback in
            if case .error(let error) = callback { log.add(error.code.rawValue) }
        }
        device.use {
            let manager = CLLocationManager()
            manager.delegate = delegate
            manager.requestLocation()
            advanceSynchronously(device, by: 9.5)
            #expect(log.all.isEmpty)
            advanceSynchronously(device, by: 1)
            #expect(log.all == [CLError.Code.locationUnknown.rawValue])
        }
    }

    @Test("play(speed:) takes the trace's duration divided by the speed and delivers every event")
    func playsInRealTime() async throws {
        // Four seconds of trace at 20 times the speed take 0.2 s.
        let device = try Drive.device(5)
        let log = ValueLog<Double>()
        let client = subscribe(device, log)
        let began = ContinuousClock.now
        try await device.play(speed: 20)
        let elapsed = ContinuousClock.now - began
        #expect(elapsed >= .seconds(0.2))
        #expect(log.all == Drive.latitudes(5))
        #expect(client.manager != nil)
    }

    @Test("play(speed:) ends early when its task is cancelled")
    func stopsPlayingInRealTime() async throws {
        let device = try Drive.device(500)
        let log = ValueLog<Double>()
        let client = subscribe(device, log)
        let task = Task { try await device.play(speed: 1) }
        task.cancel()
        try await task.value
        #expect(log.all.count < 500)
        #expect(client.manager != nil)
    }

    @Test("A nested play() in a callback throws an error and does not disturb the playback")
    func rejectsNestedPlay() throws {
        let device = try Drive.device(5)
        let log = ValueLog<Double>()
        let client = LocationClient()
        device.use {
            client.start { _, callback in
                guard case .location(let location) = callback else { return }
                log.add(location.coordinate.latitude)
                let error = #expect(throws: DeviceError.self) { try device.play() }
                #expect(error?.code == .busy)
                #expect(!device.step())
            }
            playSynchronously(device)
        }
        #expect(log.all == Drive.latitudes(5))
        #expect(throws: Never.self) { try device.play() }
    }

    @Test("An asynchronous play() during another one throws an error", arguments: [nil, 1, 0] as [Double?])
    func rejectsConcurrentPlay(speed: Double?) async throws {
        let device = try Drive.device(500)
        let log = ValueLog<Double>()
        let client = subscribe(device, log)
        let task = Task { try await device.play(speed: 1) }
        // The first location shows that the other playback has begun.
        while log.all.isEmpty { await Task.yield() }
        let error = await #expect(throws: DeviceError.self) {
            if let speed { try await device.play(speed: speed) } else { try await device.play() }
        }
        #expect(error?.code == .busy)
        task.cancel()
        try await task.value
        #expect(log.all.count < 500)
        #expect(client.manager != nil)
    }

    @Test("Two devices that play in parallel are independent")
    func playsInParallel() async throws {
        let north = try Drive.device(200)
        let south = SimulatedDevice(try Drive.file(Drive.lines(200, from: 300)))
        let first = ValueLog<Double>()
        let second = ValueLog<Double>()
        let client = (subscribe(north, first), subscribe(south, second))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { playSynchronously(north) }
            group.addTask { playSynchronously(south) }
        }
        #expect(first.all == Drive.latitudes(200))
        let southern = (300..<500).map { Double(100 + $0) / 10 }
        #expect(second.all == southern)
        #expect(client.0.manager != nil && client.1.manager != nil)
    }

    @Test("A native trace keeps its own times, losses and recoveries")
    func playsNativeTraces() throws {
        let report = { (latitude: Double) in #"{"class":"TPV","mode":3,"lat":\#(latitude),"lon":11,"eph":5}"# }
        let lines = [
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00.000000000Z","boot":7.5}}"#,
            #"{"t":0.25,"gpsd":\#(report(48.5))}"#,
            #"{"t":1.5,"lost":{"code":"connectionLost","message":"gone"}}"#,
            #"{"t":3.75,"regained":true}"#,
            #"{"t":4.125,"gpsd":\#(report(48.75))}"#,
        ]
        let device = SimulatedDevice(try Drive.file(lines, name: "native"))
        let log = ValueLog<String>()
        let client = LocationClient()
        let start = device.wallTime
        device.use {
            client.start { _, callback in
                let elapsed = device.wallTime.seconds(since: start)
                switch callback {
                case .location(let location): log.add("\(elapsed) location \(location.coordinate.latitude)")
                case .error(let error):
                    let cause = (error.userInfo[NSUnderlyingErrorKey] as? DeviceError)?.code.description ?? "none"
                    log.add("\(elapsed) error \(error.code.rawValue) \(cause)")
                case .authorization: log.add("\(elapsed) authorization")
                }
            }
            playSynchronously(device)
        }
        #expect(
            log.all == [
                "0.0 authorization", "0.25 location 48.5", "1.5 error 0 connectionLost", "4.125 location 48.75",
            ])
    }

    @Test("Playing the same trace repeatedly yields identical callbacks", arguments: [3, 50])
    func isDeterministic(count: Int) async throws {
        var lines = Drive.lines(count)
        lines.insert(#"{"class":"TPV","mode":1,"time":"2026-05-01T10:00:01.500Z"}"#, at: 2)
        let file = try Drive.file(lines)
        var logs: [String] = []
        for _ in 0..<3 {
            let device = SimulatedDevice(file)
            let log = ValueLog<String>()
            let first = LocationClient()
            let second = LocationClient()
            device.use {
                first.start { _, callback in log.add(text("first", callback, device)) }
                second.start { _, callback in log.add(text("second", callback, device)) }
            }
            try await device.play()
            logs.append(log.all.joined(separator: "\n"))
        }
        #expect(logs[0] == logs[1])
        #expect(logs[0] == logs[2])
        // Each manager receives one authorization, one loss and every location.
        #expect(logs[0].split(separator: "\n").count == 2 * (count + 2))
    }

    private func text(_ name: String, _ callback: Listener.Callback, _ device: SimulatedDevice) -> String {
        let time = device.wallTime.nanoseconds
        return switch callback {
        case .location(let location): "\(name) \(time) \(location) \(location.age ?? .seconds(-1))"
        case .error(let error): "\(name) \(time) \(error)"
        case .authorization: "\(name) \(time) authorization"
        }
    }
}

private func advanceSynchronously(_ device: SimulatedDevice, by seconds: Double) {
    device.advance(by: seconds)
}
