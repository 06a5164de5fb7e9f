// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// A class as in apps in Swift 6 mode: its delegate methods pass values to the main actor in tasks.
@MainActor
private final class MainActorTracker: NSObject, CLLocationManagerDelegate {
    let manager = CLLocationManager()
    private(set) var latitudes: [Double] = []

    func start() {
        manager.delegate = self
        manager.startUpdatingLocation()
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let latitudes = locations.map(\.coordinate.latitude)
        Task { @MainActor in self.latitudes += latitudes }
    }
}

@Suite("Playback until a condition is true", .timeLimit(.minutes(30)))
struct PlayUntilTests {
    /// Plays with the synchronous form, which async functions cannot select.
    static func play(_ device: SimulatedDevice, until condition: () -> Bool) throws {
        try device.play(until: condition)
    }

    /// Starts a manager that collects latitudes.
    private static func client(of device: SimulatedDevice) -> (LocationClient, ValueLog<Double>) {
        let (client, log) = (LocationClient(), ValueLog<Double>())
        device.use {
            client.start { _, callback in
                if case .location(let location) = callback { log.add(location.coordinate.latitude) }
            }
        }
        return (client, log)
    }

    @Test("The synchronous form stops after the event that makes the condition true, and playback can continue")
    func stops() throws {
        let device = try Drive.device(10)
        let (client, log) = Self.client(of: device)
        try Self.play(device) { log.all.count == 3 }
        #expect(log.all == Drive.latitudes(3))
        // The third report arrives two seconds after the first.
        #expect(device.elapsed == .seconds(2))
        try Self.play(device) { log.all.count == 3 }
        #expect(log.all.count == 3)
        try device.play()
        #expect(log.all == Drive.latitudes(10))
        withExtendedLifetime(client) {}
    }

    @Test("The asynchronous form stops at the same event")
    func stopsAsynchronously() async throws {
        let device = try Drive.device(10)
        let (client, log) = Self.client(of: device)
        try await device.play(until: { log.all.count == 3 })
        #expect(log.all == Drive.latitudes(3))
        #expect(device.elapsed == .seconds(2))
        withExtendedLifetime(client) {}
    }

    @Test("A condition sees what callbacks pass to the main actor in tasks")
    func seesMainActor() async throws {
        let device = try Drive.device(10)
        let tracker = await MainActor.run { device.use { MainActorTracker() } }
        await tracker.start()
        try await device.play(until: { await tracker.latitudes.count == 4 })
        #expect(await tracker.latitudes == Drive.latitudes(4))
        #expect(device.elapsed == .seconds(3))
    }

    @Test("On the main actor, a synchronous condition sees what callbacks pass to the main actor in tasks")
    @MainActor
    func seesTasksOnMainActor() async throws {
        let device = try Drive.device(10)
        let tracker = device.use { MainActorTracker() }
        tracker.start()
        try await device.play(until: { tracker.latitudes.count == 4 })
        #expect(tracker.latitudes == Drive.latitudes(4))
        #expect(device.elapsed == .seconds(3))
        try await device.play()
        #expect(tracker.latitudes == Drive.latitudes(10))
    }

    @Test("If the trace ends first, the error contains the time and the solution")
    func ends() async throws {
        let device = try Drive.device(10)
        let error = try #require(throws: DeviceError.self) { try Self.play(device) { false } }
        // Ten reports, one per second.
        #expect(error.message.hasPrefix("drive ended 9.0 s after its start"))
        #expect(error.message.contains("play a longer recording"))
        await #expect(throws: DeviceError.self) { try await device.play(until: { false }) }
    }

    @Test("With endless loops, an unmet condition ends playback after one pass")
    func endless() async throws {
        let device = try ControlTests.device(3) { $0.loops = .endless }
        #expect(throws: DeviceError.self) { try Self.play(device) { false } }
        await #expect(throws: DeviceError.self) { try await device.play(until: { false }) }
        // The second pass begins at 3 s, and the third pass would begin at 6 s.
        #expect(device.elapsed == .seconds(6))
    }

    @Test("A timer that becomes due between events can make the condition true")
    func firesTimers() throws {
        let device = try Drive.device(10)
        let hasFired = Atomic<Bool>(false)
        let clock = device.device.clock
        let timer = clock.timer(at: clock.now.advanced(bySeconds: 4.5)) { hasFired.store(true, ordering: .relaxed) }
        try Self.play(device) { hasFired.load(ordering: .relaxed) }
        #expect(device.elapsed == .milliseconds(4500))
        withExtendedLifetime(timer) {}
    }

    @Test("Cancelling the task ends playback")
    func cancels() async throws {
        let device = try Drive.device(100)
        let (client, log) = Self.client(of: device)
        let task = Task {
            try await device.play(until: {
                if log.all.count == 5 { withUnsafeCurrentTask { $0?.cancel() } }
                return false
            })
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == Drive.latitudes(5))
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            #expect(throws: CancellationError.self) { try Self.play(device) { false } }
            await #expect(throws: Never.self) { try await device.play() }
        }.value
        #expect(log.all == Drive.latitudes(5))
        withExtendedLifetime(client) {}
    }

    @Test("During playback, a second playback throws an error")
    func busy() throws {
        let device = try Drive.device(3)
        let codes = ValueLog<DeviceError.Code?>()
        try Self.play(device) {
            do { try Self.play(device) { true } } catch { codes.add((error as? DeviceError)?.code) }
            return true
        }
        #expect(codes.all == [.busy])
    }

    @Test("The current simulated device is the one in use")
    func current() async throws {
        let first = try Drive.device()
        let second = try Drive.device()
        let outer = try first.use {
            let inner = try second.use { try SimulatedDevice.current }
            #expect(inner === second)
            return try SimulatedDevice.current
        }
        #expect(outer === first)
        let later = try await second.use {
            await Task.yield()
            return try SimulatedDevice.current
        }
        #expect(later === second)
        let error = try #require(throws: DeviceError.self) { try SimulatedDevice.current }
        #expect(error.code == .notFound)
    }

    @Test("The elapsed time includes skipped parts and waits")
    func elapsed() throws {
        let device = try ControlTests.device { $0.from = .seconds(3) }
        #expect(device.elapsed == .seconds(3))
        playSynchronously(device)
        #expect(device.elapsed == .seconds(9))
        device.advance(by: .seconds(60))
        #expect(device.elapsed == .seconds(69))
    }
}
