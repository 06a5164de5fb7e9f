// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import GPSDSource
import IIOSource
import LoopbackServer
import TestSupport
import Testing
import Trace
import TraceEditing
import UdevSource

@testable import SimulatedServers

#if LibIIO
private let hasLibIIO = true
#else
private let hasLibIIO = false
#endif

@Suite("Simulated servers", .timeLimit(.minutes(10)))
struct SimulatedServersTests {
    @Test("Servers exist only for streams of the trace, and a loop lasts as long as its longest stream")
    func sources() throws {
        let all = try Traces.file(Traces.fixes(3) + [Traces.attach] + Traces.readings(100))
        #expect(try SimulatedServers([all]).sources == [.positions, .motion, .accessories])
        // 100 readings at 20 ms end at 2 s, but a fourth fix would follow at 3 s.
        #expect(try SimulatedServers([all]).duration == 3_000_000_000)
        let motion = try Traces.file(Traces.readings(100))
        #expect(try SimulatedServers([motion]).sources == [.motion])
        #expect(try SimulatedServers([motion]).duration == 2_000_000_000)
        #expect(try SimulatedServers([try Traces.file([])]).sources.isEmpty)
        // gpsd text without arrival timestamps lasts as long as its fix times.
        let text = Traces.fixes(5).compactMap { $0.split(separator: ",", maxSplits: 1).last?.dropFirst(7).dropLast() }
        let plain = try TraceFile(bytes: Array(text.joined(separator: "\n").utf8), name: "plain")
        #expect(plain.format == .gpsd)
        #expect(try SimulatedServers([plain]).duration == 5_000_000_000)
    }

    @Test("Traces that cannot be played together are rejected with advice")
    func refusals() throws {
        let error = #expect(throws: DeviceError.self) { try SimulatedServers([]) }
        #expect(error?.message == "There is no trace to play. Specify one.")
        let timeless = try Traces.file(Traces.readings(3), name: "walk.trace", start: nil)
        let merged = #expect(throws: DeviceError.self) {
            try SimulatedServers([try Traces.file(Traces.fixes(2)), timeless])
        }
        #expect(merged?.message.contains("walk.trace does not contain its start time") == true)
        var options = SimulatedServersOptions()
        options.alignment = .start
        #expect(
            try SimulatedServers([try Traces.file(Traces.fixes(2)), timeless], options: options).sources
                == [.positions, .motion])
    }

    @Test("Several traces are played as one, and faults apply to them")
    func several() throws {
        let positions = try Traces.file(Traces.fixes(10))
        let later = #""start":{"utc":"2026-01-01T00:00:30Z","boot":5}"#
        let motion = try Traces.file(Traces.readings(50), start: later)
        let servers = try SimulatedServers([positions, motion])
        #expect(servers.sources == [.positions, .motion])
        // The readings begin 30 s after the positions.
        #expect(servers.duration == 31_000_000_000)
        var options = SimulatedServersOptions()
        options.faults = [TraceFault(.silence, target: "gpsd")]
        #expect(try SimulatedServers([positions], options: options).sources.isEmpty)
    }

    @Test("Stopped servers leave no files and can be started again")
    func lifetime() throws {
        let servers = try SimulatedServers([try Traces.file(Traces.fixes(3) + [Traces.attach])])
        #expect(servers.environment.isEmpty)
        let first = try servers.start()
        #expect(try servers.start() == first)
        #expect(servers.environment == first)
        let configuration = try #require(first["DEVICE_SERVICES_CONFIG"])
        let folder = (configuration as NSString).deletingLastPathComponent
        let state = try #require(first["DEVICE_SERVICES_STATE"])
        try Data("a calibration".utf8).write(to: URL(fileURLWithPath: state + "/gyroscope.json"))
        #expect(FileManager.default.fileExists(atPath: try #require(first["DEVICE_SERVICES_ACCESSORIES"])))
        servers.stop()
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(servers.environment.isEmpty)
        servers.stop()
        let second = try servers.start()
        #expect(second.keys == first.keys)
        #expect(second["DEVICE_SERVICES_CONFIG"] != configuration)
        servers.stop()
    }

    @Test("Files of a killed process are removed, and files of a running process are kept")
    func abandonedDirectories() throws {
        let parent = NSTemporaryDirectory() + "ds-" + String(UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        var options = SimulatedServersOptions()
        options.folder = parent
        let running = try SimulatedServers([try Traces.file([Traces.attach])], options: options)
        try running.start()
        let dead = parent + "/device-servers-abcdef"
        let inner = dead + "/accessories-ABCDEF"
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for path in [dead + "/device-services.json", inner + "/1.json", inner + "/1-0"] {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        }
        let next = try SimulatedServers([try Traces.file([])], options: options)
        try next.start()
        #expect(!FileManager.default.fileExists(atPath: dead))
        let configuration = try #require(running.environment["DEVICE_SERVICES_CONFIG"])
        #expect(FileManager.default.fileExists(atPath: configuration))
        // The check for leftover files does not count as a client.
        #expect(!running.hasBegun)
        next.stop()
        running.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
    }

    @Test("A missing parent directory throws one error with advice")
    func noFolder() throws {
        var options = SimulatedServersOptions()
        options.folder = "/nonexistent"
        let servers = try SimulatedServers([try Traces.file([])], options: options)
        let error = #expect(throws: DeviceError.self) { try servers.start() }
        #expect(error?.message.contains("in /nonexistent. Set TMPDIR to another directory.") == true)
        #expect(servers.environment.isEmpty)
    }

    @Test("A position subscription starts the clock that motion uses", .enabled(if: hasLibIIO, "built without libiio"))
    func oneClock() throws {
        let servers = try SimulatedServers([try Traces.file(Traces.fixes(60) + Traces.readings(3000))])
        let machine = Machine(try servers.start())
        defer { servers.stop() }
        #expect(!servers.hasBegun)
        let before = machine.clock.now
        let arrivals = Log<BootTime>()
        let positions = machine.positions
        let watch = positions.subscribe(PositionRequest(includesLines: true)) { event in
            if case .report = event { arrivals.add(machine.clock.now) }
        }
        defer { watch.cancel() }
        // Waits for the third report, so that motion is subscribed to two seconds after the beginning.
        try #require(arrivals.wait { $0.count >= 3 })
        #expect(servers.hasBegun)
        let motion = machine.motion
        let batches = Log<MotionBatch>()
        let motionSubscription = motion.subscribe(MotionRequest(kind: .accelerometer, interval: 0.02, axes: .sensor)) {
            event in
            if case .samples(let batch) = event { batches.add(batch) }
        }
        defer { motionSubscription.cancel() }
        try #require(batches.wait { $0.count >= 50 })
        let first = try #require(arrivals.elements.first)
        // According to the timestamps, reading 0 lies between the position subscription and the first report. The first
        // reading of a stream is read axis by axis before it is timestamped, which may take some time.
        var origins: [Int64] = []
        for batch in batches.elements {
            guard let time = batch.times.first, let value = batch.values.first else { continue }
            let number = (value.x * 1000).rounded()
            #expect(number >= 100)
            origins.append(time.nanoseconds - Int64(number) * 20_000_000)
        }
        let origin = try #require(origins.min())
        // The first reading may be a direct read, which is then held for up to 20 ms.
        #expect(origin >= before.nanoseconds - 30_000_000)
        #expect(origin <= first.nanoseconds + 30_000_000)
    }

    @Test("An accessory subscription starts the clock, and the accessory attaches")
    func accessoriesBegin() throws {
        let servers = try SimulatedServers([try Traces.file([Traces.attach] + Traces.readings(5))])
        let machine = Machine(try servers.start())
        defer { servers.stop() }
        #expect(!servers.hasBegun)
        let source = machine.accessories
        let names = Log<String>()
        let subscription = source.subscribe { event in
            switch event {
            case .snapshot(let all): for one in all { names.add(one.name) }
            case .attached(let one): names.add(one.name)
            case .changed, .detached: break
            }
        }
        defer { subscription.cancel() }
        #expect(names.wait { $0 == ["Scale"] })
        #expect(servers.hasBegun)
    }

    @Test("Sources missing from the trace are absent, regardless of the machine's hardware")
    func absentSources() throws {
        let servers = try SimulatedServers([try Traces.file(Traces.fixes(3))])
        let machine = Machine(try servers.start())
        defer { servers.stop() }
        #expect(machine.configuration.problems.isEmpty)
        #expect(machine.accessories.accessories.isEmpty)
        #expect(machine.accessories.candidates.isEmpty)
        #expect(machine.accessories.problems.isEmpty)
        if hasLibIIO {
            let motion = machine.motion
            #expect(motion.sensors.isEmpty)
            #expect(motion.problems.isEmpty)
        }
    }

    @Test("Without positions, gpsd has no receivers and no loss is reported")
    func absentReceiver() throws {
        let servers = try SimulatedServers([try Traces.file([Traces.attach])])
        let machine = Machine(try servers.start())
        defer { servers.stop() }
        let lines = Log<String>()
        let source = machine.positions
        let subscription = source.subscribe(PositionRequest(includesLines: true)) { event in
            switch event {
            case .line(let line, _): lines.add(String(decoding: line, as: UTF8.self))
            case .lost(let error): lines.add("lost: \(error)")
            default: break
            }
        }
        defer { subscription.cancel() }
        #expect(lines.wait { $0.contains { $0.contains(#""class":"WATCH""#) } })
        #expect(lines.elements.contains { $0.contains(#""class":"DEVICES","devices":[]"#) })
        #expect(lines.elements.filter { $0.hasPrefix("lost") } == [])
        #expect(source.receivers.isEmpty)
    }

    @Test("A sensor loss in the trace is reported to the app", .enabled(if: hasLibIIO, "built without libiio"))
    func sensorLoss() throws {
        let loss = #"{"t":2,"lost":{"code":"connectionLost","message":"gone"},"sensor":"accelerometer"}"#
        let back = #"{"t":3,"regained":true,"sensor":"accelerometer"}"#
        // Long enough for the source to find the sensor again, although it searches only now and then.
        let readings = Traces.readings(5000)
        let servers = try SimulatedServers([
            try Traces.file(readings[..<100] + [loss] + readings[100..<150] + [back] + readings[150...])
        ])
        let machine = Machine(try servers.start())
        defer { servers.stop() }
        let events = Log<String>()
        let motion = machine.motion
        let motionSubscription = motion.subscribe(MotionRequest(kind: .accelerometer, interval: 0.02)) { event in
            switch event {
            case .samples: events.add("samples")
            case .lost: events.add("lost")
            case .regained: events.add("regained")
            }
        }
        defer { motionSubscription.cancel() }
        #expect(events.wait { $0.contains("lost") })
        #expect(events.elements.first == "samples")
        #expect(events.wait { $0.contains("regained") })
    }

    @Test("The first server to begin sets the time for all servers and notifies them")
    func commonStart() {
        let common = SharedPlaybackStart()
        let received = Log<Int>()
        common.onStart { received.add(1) }
        #expect(common.time == nil)
        #expect(common.startIfNeeded(at: BootTime(nanoseconds: 5)) == BootTime(nanoseconds: 5))
        #expect(common.startIfNeeded(at: BootTime(nanoseconds: 7)) == BootTime(nanoseconds: 5))
        common.onStart { received.add(2) }
        #expect(received.elements == [1, 2])
        #expect(common.time == BootTime(nanoseconds: 5))
    }

    @Test("waitUntilPlayed returns after everything has been played")
    func end() throws {
        var options = SimulatedServersOptions()
        options.start = .immediately
        options.speed = 50
        let servers = try SimulatedServers([try Traces.file(Traces.fixes(3) + Traces.readings(100))], options: options)
        #expect(!servers.waitUntilPlayed(seconds: 1))
        try servers.start()
        defer { servers.stop() }
        #expect(servers.hasBegun)
        #expect(servers.waitUntilPlayed(seconds: 60))
    }

    @Test("With endless loops, waitUntilPlayed returns after the first loop and not before")
    func endOfRound() throws {
        var options = SimulatedServersOptions()
        options.start = .immediately
        options.loops = true
        options.speed = 50
        let servers = try SimulatedServers([try Traces.file(Traces.fixes(3))], options: options)
        let clock = LiveClock()
        let before = clock.now
        try servers.start()
        defer { servers.stop() }
        #expect(servers.waitUntilPlayed(seconds: 60))
        #expect(clock.now.seconds(since: before) >= 3.0 / 50)
        var slow = options
        slow.speed = 1e-6
        let other = try SimulatedServers([try Traces.file(Traces.fixes(3))], options: slow)
        try other.start()
        defer { other.stop() }
        #expect(!other.waitUntilPlayed(seconds: 0))
    }
}
