// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

/// A weak reference that is Sendable.
final class Weak<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object?) { self.object = object }
}

@Suite("Object lifetimes")
struct LifetimeTests {
    private let lines = (0..<5).map { Drives.report(Double($0), latitude: 48 + Double($0)) }

    @Test("A delegate can stop its manager in its deinit, even while callbacks are delivered")
    func delegateReleasedInCallback() throws {
        final class Tracker: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
            nonisolated(unsafe) static var retained: Tracker?
            nonisolated(unsafe) static var isReleased = false
            let manager = CLLocationManager()
            override init() {
                super.init()
                manager.delegate = self
                manager.startUpdatingLocation()
            }
            deinit {
                manager.stopUpdatingLocation()
                Tracker.isReleased = true
            }
            func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
                manager.delegate = nil
                Tracker.retained = nil
            }
        }
        let device = try Drives.device(lines)
        try device.use {
            let other = CLLocationManager()
            other.startUpdatingLocation()
            device.step()
            Tracker.retained = Tracker()
            // The authorization and the cached fix are delivered together.
            try device.play()
            withExtendedLifetime(other) {}
        }
        #expect(Tracker.isReleased)
    }

    @Test("A simulated device is deallocated after playback when no references remain")
    func deviceReleased() throws {
        var device: SimulatedDevice? = try Drives.device(lines)
        let weak = Weak(device?.device)
        try device?.use {
            let manager = CLLocationManager()
            let recorder = Recorder()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device?.play()
            #expect(recorder.locations.count == 5)
        }
        device = nil
        #expect(weak.object == nil)
    }

    @Test("A simulated device is deallocated even if its callbacks were never delivered")
    func unplayedDeviceReleased() throws {
        var device: SimulatedDevice? = try Drives.device(lines)
        let weak = Weak(device?.device)
        var client: Weak<LocationClient>?
        device?.use {
            let manager = CLLocationManager()
            let recorder = Recorder()
            manager.delegate = recorder
            manager.requestLocation()
            client = Weak(manager.client)
        }
        device = nil
        #expect(client?.object == nil)
        #expect(weak.object == nil)
    }

    @Test("A manager's client is deallocated with it, even with a pending request")
    func clientReleased() throws {
        let device = try Drives.device([Drives.report(0, mode: 1)])
        var client: Weak<LocationClient>?
        device.use {
            let manager = CLLocationManager()
            let recorder = Recorder()
            manager.delegate = recorder
            manager.requestLocation()
            device.advance(by: 1)
            client = Weak(manager.client)
        }
        device.advance(by: 0)
        #expect(client?.object == nil)
        #expect(device.device.positionSource is PositionHub)
        #expect((device.device.positionSource as? PositionHub)?.hasSubscribers == false)
    }

    @Test("Live updates end when their loop ends, and sessions when they are released")
    func updatesReleased() async throws {
        let device = try Drives.device(lines)
        let hub = try #require(device.device.positionSource as? PositionHub)
        try await device.use {
            var session: CLServiceSession? = CLServiceSession(authorization: .whenInUse)
            let weak = Weak(session)
            var iterator: CLLocationUpdate.Updates.Iterator? = CLLocationUpdate.liveUpdates().makeAsyncIterator()
            let task = Task { @Sendable in
                for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { break }
            }
            await device.waitForConsumers(1)
            try await device.play()
            try await task.value
            session = nil
            #expect(weak.object == nil)
            _ = try await iterator?.next()
            #expect(hub.hasSubscribers)
            #expect(LocationAuthorization.current.uses.count == 1)
            iterator = nil
            #expect(!hub.hasSubscribers)
            #expect(LocationAuthorization.current.uses.isEmpty)
            _ = session
        }
    }

    @Test("A task that awaits updates of a device without fixes ends when it is cancelled")
    func cancelsWaiting() async throws {
        let device = try Drives.device([Drives.report(0, mode: 1)])
        let hub = try #require(device.device.positionSource as? PositionHub)
        try await device.use {
            let task = Task { @Sendable in
                for try await _ in CLLocationUpdate.liveUpdates() {}
                return true
            }
            await device.waitForConsumers(1)
            try await device.play()
            task.cancel()
            let hasEnded = try await task.value
            #expect(hasEnded)
            #expect(!hub.hasSubscribers)
        }
    }
}
