// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import ExternalAccessory
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Seeking and the end of a trace", .timeLimit(.minutes(30)))
struct SeekTests {
    @Test("Seeking forward skips the events in between, and the clock does not jump")
    func seeksForward() throws {
        let device = try ControlTests.device { _ in }
        let (log, subscription) = ControlTests.listen(device)
        device.advance(by: 1)
        device.seek(to: 7)
        #expect(device.device.clock.now.seconds == 101)
        #expect(device.wallTime.seconds == 1_777_629_607)
        #expect(device.device.positionSource.lastFix?.report.latitude == 16)
        // The fix is one second old, as at that position of the trace.
        #expect(device.device.positionSource.lastFix?.report.arrival.seconds == 100)
        playSynchronously(device)
        #expect(
            log.all == [
                "100.0 0.0 10.0", "101.0 1.0 11.0", "101.0 7.0 17.0", "102.0 8.0 18.0", "103.0 9.0 19.0",
            ])
        subscription.cancel()
    }

    @Test("Seeking backward replays the trace, even after its end, and boot time keeps increasing")
    func seeksBack() throws {
        let device = try ControlTests.device(3) { _ in }
        let (log, subscription) = ControlTests.listen(device)
        playSynchronously(device)
        device.advance(by: 10)
        device.seek(to: 1)
        playSynchronously(device)
        device.seek(to: -5)
        device.advance(by: 0.5)
        device.seek(to: .infinity)
        playSynchronously(device)
        #expect(
            log.all == [
                "100.0 0.0 10.0", "101.0 1.0 11.0", "102.0 2.0 12.0", "112.0 1.0 11.0", "113.0 2.0 12.0",
                "113.0 0.0 10.0",
            ])
        #expect(device.warnings.isEmpty)
        subscription.cancel()
    }

    @Test("Seeking restores the battery, accessories and losses of the new position")
    func restoresState() throws {
        let device = try ControlTests.device(
            10, header: #","battery":{"level":1,"state":"full"}"#,
            [
                #"{"t":1.5,"attach":{"id":"x","name":"Scale","protocols":["com.example.scale"]}}"#,
                #"{"t":2.5,"battery":{"level":0.5,"state":"unplugged"}}"#,
                #"{"t":3.5,"attach":{"id":"y","name":"Pump","protocols":["com.example.pump"]}}"#,
                #"{"t":4.2,"detach":"x"}"#, #"{"t":4.4,"lost":{"code":"connectionLost","message":"Gone."}}"#,
                #"{"t":4.9,"regained":true}"#,
            ]
        ) { _ in }
        let (log, subscription) = ControlTests.listen(device)
        var names: [String] { device.device.accessorySource.accessories.map(\.name) }
        device.seek(to: 4.5)
        #expect(device.device.statusSource.battery?.level == 0.5)
        #expect(names == ["Pump"])
        #expect(log.all == ["100.0 lost connectionLost"])
        device.seek(to: 2)
        #expect(device.device.statusSource.battery?.level == 1)
        #expect(names == ["Scale"])
        #expect(log.all == ["100.0 lost connectionLost", "regained"])
        device.seek(to: 4)
        #expect(names == ["Scale", "Pump"])
        device.seek(to: 0)
        #expect(names.isEmpty)
        subscription.cancel()
    }

    @Test("Seeking reattaches an accessory that was detached in code, and it sends again")
    func attachesAgain() throws {
        let device = try ControlTests.device(
            10,
            [
                #"{"t":1.5,"attach":{"id":"x","name":"Scale","protocols":["com.example.scale"]}}"#,
                #"{"t":2.5,"attach":{"id":"x","name":"Large scale","protocols":["com.example.scale"]}}"#,
                #"{"t":6.5,"in":"42","accessory":"x","protocol":"com.example.scale"}"#,
            ]
        ) { _ in }
        let source = device.device.accessorySource
        device.advance(by: 2)
        let first = try #require(source.accessories.first?.id)
        device.detach(first)
        // Trace events about the accessory do not attach it again.
        device.advance(by: 1)
        #expect(source.accessories.isEmpty)
        device.seek(to: 5)
        let second = try #require(source.accessories.first)
        #expect(second.name == "Large scale" && second.id != first)
        let channel = try source.open(second.id, protocol: "com.example.scale")
        device.advance(by: 2)
        #expect(channel.bytesAvailable == 2)
        // An accessory that stays attached keeps its ID.
        device.seek(to: 7)
        #expect(source.accessories.map(\.id) == [second.id])
    }

    @Test("A warning about the file is reported once, even if the file is played again")
    func remarksOnce() throws {
        let device = try ControlTests.device(3, [#"{"t":1.5,"gyroscope":[1,null,2]}"#]) { $0.loops = .times(3) }
        playSynchronously(device)
        device.seek(to: 0)
        playSynchronously(device)
        #expect(device.warnings.map(\.reason) == [.invalidReading])
    }

    @Test("Seeking in a callback has no effect")
    func refusesInCallbacks() throws {
        let device = try ControlTests.device { _ in }
        let log = ValueLog<Double>()
        let subscription = device.device.positionSource.subscribe(PositionRequest(includesAllReports: true)) { event in
            guard case .report(let report) = event else { return }
            log.add(report.latitude)
            device.seek(to: 0)
        }
        playSynchronously(device)
        #expect(log.all.count == 10)
        subscription.cancel()
    }

    @Test("After the end, time continues or stops, depending on the option")
    func ends() throws {
        let holding = try ControlTests.device(3) { $0.end = .hold }
        holding.advance(by: 60)
        #expect(holding.device.clock.now.seconds == 160)
        let stopping = try ControlTests.device(3) { $0.end = .stop }
        let fired = ValueLog<Double>()
        let timer = stopping.device.clock.timer(at: BootTime(nanoseconds: 102_500_000_000)) { fired.add(1) }
        stopping.advance(by: 60)
        #expect(stopping.device.clock.now.seconds == 102)
        #expect(fired.all.isEmpty)
        stopping.seek(to: 0)
        stopping.advance(by: 1)
        #expect(stopping.device.clock.now.seconds == 103)
        #expect(fired.all == [1])
        timer.cancel()
    }

    @Test("With the .fail option, subscribers receive one error each time playback reaches the end")
    func fails() throws {
        let error = DeviceError(.connectionLost, "The receiver was switched off.")
        let device = try ControlTests.device(2, [#"{"t":0.5,"gyroscope":[1,2,3]}"#]) { $0.end = .fail(error) }
        let (log, subscription) = ControlTests.listen(device)
        let losses = ValueLog<String>()
        let motion = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
            switch event {
            case .lost(let error): losses.add(error.message)
            case .regained: losses.add("regained")
            case .samples: losses.add("reading")
            }
        }
        playSynchronously(device)
        playSynchronously(device)
        #expect(log.all == ["100.0 0.0 10.0", "101.0 1.0 11.0", "101.0 lost connectionLost"])
        #expect(losses.all == ["reading", "The receiver was switched off."])
        device.seek(to: 1)
        #expect(device.step())
        #expect(log.all.contains("regained"))
        #expect(losses.all.last == "regained")
        subscription.cancel()
        motion.cancel()
    }

    @Test("A manager reports the end of the trace like a loss on live hardware")
    @MainActor func failsToManagers() throws {
        let device = try ControlTests.device(2) { options in
            options.end = .fail(DeviceError(.permissionDenied, "gpsd may not be asked any more."))
        }
        let codes = ValueLog<CLError.Code>()
        try device.use {
            let manager = CLLocationManager()
            let delegate = Listener { _, callback in
                if case .error(let error) = callback { codes.add(error.code) }
            }
            manager.delegate = delegate
            manager.startUpdatingLocation()
            try device.play()
            withExtendedLifetime((manager, delegate)) {}
        }
        #expect(!codes.all.isEmpty)
    }

    @Test("play(speed:) makes no progress while paused")
    func pauses() async throws {
        let device = try ControlTests.device(5) { _ in }
        let (log, subscription) = ControlTests.listen(device)
        device.pause()
        let playing = Task { try await device.play(speed: 1_000_000) }
        // The paused task still owns playback, so no other call can play.
        device.resume()
        try await playing.value
        #expect(log.all.count == 5)
        device.seek(to: 0)
        device.pause()
        let cancelled = Task { try await device.play(speed: 1_000_000) }
        cancelled.cancel()
        try await cancelled.value
        #expect(log.all.count == 5)
        subscription.cancel()
    }
}
