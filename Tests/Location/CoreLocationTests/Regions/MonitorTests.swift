// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

@Suite("CLMonitor")
struct MonitorTests {
    static func condition(_ radius: Double = 200, latitude: Double = 48) -> CLMonitor.CircularGeographicCondition {
        .init(center: .init(latitude: latitude, longitude: 11), radius: radius)
    }

    /// Returns the events that a loop over a monitor's events receives while the drive is played.
    static func events(
        _ lines: [String] = RegionDeliveryTests.drive, prepare: @Sendable (CLMonitor) async -> Void
    ) async throws -> [CLMonitor.Event] {
        let device = try Drives.device(lines)
        let received = Mutex<[CLMonitor.Event]>([])
        try await device.use {
            let monitor = await CLMonitor("test")
            await prepare(monitor)
            let task = Task { @Sendable in
                for try await event in await monitor.events { received.withLock { $0.append(event) } }
            }
            await device.waitForConsumers(1)
            try await device.play()
            task.cancel()
            try await task.value
        }
        return received.withLock { $0 }
    }

    private static func text(_ events: [CLMonitor.Event]) -> [String] {
        events.map { "\($0.identifier) \($0.state) \(Int(Drives.second($0.date).rounded()))" }
    }

    @Test("Each change is an event, including the first state, in the order of time")
    func changes() async throws {
        let events = try await Self.events { monitor in
            await monitor.add(Self.condition(), identifier: "a")
            await monitor.add(Self.condition(400), identifier: "b")
        }
        // 400 m before the centre is second 10, and 400 m behind it second 90. On the way back, these are seconds 111
        // and 191.
        #expect(
            Self.text(events) == [
                "a unsatisfied 0", "b unsatisfied 0", "b satisfied 10", "a satisfied 30", "a unsatisfied 71",
                "b unsatisfied 91", "b satisfied 111", "a satisfied 131", "a unsatisfied 172", "b unsatisfied 192",
            ])
        let isPlain = events.allSatisfy {
            !$0.authorizationDenied && !$0.accuracyLimited && !$0.conditionUnsupported && !$0.conditionLimitExceeded
                && !$0.persistenceUnavailable && $0.refinement == nil
        }
        #expect(isPlain)
    }

    @Test(
        "An assumed state causes an event only if it is wrong",
        arguments: [CLMonitor.Event.State.unsatisfied, .satisfied])
    func assumptions(state: CLMonitor.Event.State) async throws {
        let lines = (0..<60).map { Drives.report(Double($0), latitude: 49) }
        let events = try await Self.events(lines) { monitor in
            await monitor.add(Self.condition(), identifier: "a", assuming: state)
            let record = await monitor.record(for: "a")
            #expect(record?.lastEvent.state == state)
            #expect((record?.condition as? CLMonitor.CircularGeographicCondition)?.radius == 200)
        }
        #expect(Self.text(events) == (state == .satisfied ? ["a unsatisfied 0"] : []))
    }

    @Test("A record has the last event that a loop has processed, and a removed condition has no events")
    func records() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        try await device.use {
            let monitor = await CLMonitor("test")
            await monitor.add(Self.condition(), identifier: "a")
            await monitor.add(Self.condition(), identifier: "b")
            #expect(await monitor.identifiers == ["a", "b"])
            // Without a loop, events are queued, and records do not change.
            await device.advance(by: 40)
            #expect(await monitor.record(for: "a")?.lastEvent.state == .unknown)
            await monitor.remove("b")
            #expect(await monitor.record(for: "b") == nil)
            var iterator = await monitor.events.makeAsyncIterator()
            #expect(try await iterator.next()?.state == .unsatisfied)
            // The loop processes this event and may compare it with the one before.
            #expect(await monitor.record(for: "a")?.lastEvent.state == .unknown)
            let second = try await iterator.next()
            #expect(second?.identifier == "a" && second?.state == .satisfied)
            #expect(await monitor.record(for: "a")?.lastEvent.state == .unsatisfied)
            // A second monitor with this name has the same conditions.
            #expect(await CLMonitor("test").identifiers == ["a"])
            #expect(await CLMonitor("other").identifiers.isEmpty)
        }
    }

    @Test("Unsupported and excess conditions report their reason, even with thousands of identifiers")
    func diagnoses() async throws {
        struct Own: CLCondition {}
        let device = try Drives.device(RegionDeliveryTests.drive)
        try await device.use {
            let monitor = await CLMonitor("test")
            await monitor.add(Self.condition(.nan), identifier: "nan")
            await monitor.add(Own(), identifier: "own")
            await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "beacon")
            await monitor.add(Self.condition(), identifier: String(repeating: "x", count: 100_000))
            for number in 3..<20 { await monitor.add(Self.condition(), identifier: "\(number)") }
            var iterator = await monitor.events.makeAsyncIterator()
            // A simulated device supports beacons, so their condition is monitored.
            for _ in 0..<3 {
                let event = try await iterator.next()
                #expect(event?.state == .unmonitored && event?.conditionUnsupported == true)
            }
            for number in 20..<5000 { await monitor.add(Self.condition(), identifier: "\(number)") }
            let event = try await iterator.next()
            #expect(event?.identifier == "20" || event?.conditionLimitExceeded == true)
            #expect(await monitor.identifiers.count == 20)
        }
    }

    @Test("Events report missing authorization, and monitoring resumes with it")
    func authorization() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let received = Mutex<[CLMonitor.Event]>([])
        try await device.use {
            let monitor = await CLMonitor("test")
            await monitor.add(Self.condition(), identifier: "a")
            let task = Task { @Sendable in
                for try await event in await monitor.events { received.withLock { $0.append(event) } }
            }
            await device.waitForConsumers(1)
            await device.advance(by: 10)
            LocationAuthorization.current.accuracy = .reducedAccuracy
            await device.advance(by: 10)
            LocationAuthorization.current.accuracy = .fullAccuracy
            await device.advance(by: 30)
            LocationAuthorization.current.status = .denied
            try await device.play()
            task.cancel()
            try await task.value
        }
        let events = received.withLock { $0 }
        #expect(events.map(\.state) == [.unsatisfied, .unmonitored, .unsatisfied, .satisfied, .unmonitored])
        #expect(events.map(\.accuracyLimited) == [false, true, false, false, false])
        #expect(events.map(\.authorizationDenied) == [false, false, false, false, true])
    }

    @Test("Conditions can be encoded and decoded")
    func codes() throws {
        let circle = try JSONDecoder().decode(
            CLMonitor.CircularGeographicCondition.self, from: JSONEncoder().encode(Self.condition(123.5)))
        #expect(circle.center.latitude == 48 && circle.center.longitude == 11 && circle.radius == 123.5)
        let beacon = CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1, minor: 2)
        #expect(
            try JSONDecoder().decode(CLMonitor.BeaconIdentityCondition.self, from: JSONEncoder().encode(beacon))
                == beacon)
    }
}
