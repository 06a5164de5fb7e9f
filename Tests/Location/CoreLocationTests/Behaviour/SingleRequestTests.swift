// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Dispatch
import Foundation
import SimulatedDevice
import Testing

@Suite("requestLocation")
struct SingleRequestTests {
    private func request(
        _ lines: [String], desiredAccuracy: Double = kCLLocationAccuracyBest, seconds: Double
    ) throws -> [String] {
        let device = try Drives.device(lines)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.desiredAccuracy = desiredAccuracy
            manager.delegate = recorder
            manager.requestLocation()
            manager.requestLocation()
            device.advance(by: seconds)
        }
        return recorder.events
    }

    @Test("The first sufficiently accurate fix is the only result")
    func deliversFirstGoodFix() throws {
        let lines = [100.0, 50, 9, 5].enumerated().map { second, eph in
            Drives.report(Double(second), latitude: 48 + Double(second), eph: eph)
        }
        #expect(try request(lines, seconds: 60) == ["authorization 4", "location 50.0"])
        #expect(
            try request(lines, desiredAccuracy: kCLLocationAccuracyHundredMeters, seconds: 60)
                == ["authorization 4", "location 48.0"])
    }

    @Test("After the time-out, the best fix so far is the result")
    func deliversBestFixAfterTimeOut() throws {
        let lines = [100.0, 50, 80].enumerated().map { second, eph in
            Drives.report(Double(second), latitude: 48 + Double(second), eph: eph)
        }
        #expect(try request(lines, seconds: 9.9) == ["authorization 4"])
        #expect(try request(lines, seconds: 10) == ["authorization 4", "location 49.0"])
    }

    @Test("Without a fix, the request fails once with locationUnknown after the time-out")
    func failsAfterTimeOut() throws {
        let lines = (0..<3).map { Drives.report(Double($0), mode: 1) }
        #expect(try request(lines, seconds: 9.9) == ["authorization 4"])
        #expect(try request(lines, seconds: 30) == ["authorization 4", "error 0"])
    }

    @Test("Starting updates cancels a request, and a request has no effect while updates run")
    func endsWhenUpdatesStart() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            manager.startUpdatingLocation()
            manager.requestLocation()
            try device.play()
            device.advance(by: 60)
        }
        #expect(recorder.locations.count == 3)
        #expect(recorder.errors.isEmpty)
    }

    @Test("Stopping updates cancels a request")
    func stops() throws {
        let device = try Drives.device([Drives.report(0, latitude: 48)])
        let recorder = Recorder()
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            manager.stopUpdatingLocation()
            try device.play()
            device.advance(by: 60)
            #expect(LocationAuthorization.current.uses.isEmpty)
        }
        #expect(recorder.events == ["authorization 4"])
    }

    @Test("A request made in its own callback waits for a new fix")
    func repeats() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0) * 5, latitude: 48 + Double($0)) })
        let recorder = Recorder()
        recorder.onLocations = { manager, _ in manager.requestLocation() }
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            device.advance(by: 60)
        }
        #expect(recorder.events == ["authorization 4", "location 48.0", "location 49.0", "location 50.0", "error 0"])
    }

    @Test("An app that stops and starts updates in each callback receives each fix once")
    func restartsInCallback() throws {
        let device = try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
        let recorder = Recorder()
        recorder.onLocations = { manager, _ in
            manager.stopUpdatingLocation()
            manager.startUpdatingLocation()
        }
        try device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(recorder.locations.map(\.coordinate.latitude) == [48, 49, 50])
    }

    @Test("A recent fix completes a request immediately, and no service keeps running")
    func usesRecentFix() throws {
        let device = try Drives.device([Drives.report(0, latitude: 48), Drives.report(60, latitude: 49)])
        let first = Recorder()
        let second = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = first
            manager.startUpdatingLocation()
            device.step()
            manager.stopUpdatingLocation()
            let other = CLLocationManager()
            other.delegate = second
            device.advance(by: 15)
            other.requestLocation()
            #expect(LocationAuthorization.current.uses.isEmpty)
            device.advance(by: 0)
            #expect(second.locations.map(\.coordinate.latitude) == [48])
            device.advance(by: 0.1)
            other.requestLocation()
            device.advance(by: 10)
            #expect(second.errors.map(\.code) == [.locationUnknown], "after 15 seconds it is too old")
        }
    }

    /// A source that delivers its fix before `subscribe` returns, such as one with a fixed position.
    private final class FixedPosition: PositionSource {
        let lastFix: PositionFix? = nil
        let receivers: [ReceiverDescription] = []

        func subscribe(
            _ request: PositionRequest, receive: @escaping @Sendable (PositionEvent) -> Void,
            onBatchComplete: @escaping @Sendable () -> Void
        ) -> Subscription {
            var report = PositionReport()
            (report.mode, report.latitude, report.longitude, report.horizontalError) = (.threeDimensional, 48, 11, 1)
            receive(.report(report))
            onBatchComplete()
            return Subscription {}
        }
    }

    @Test("A source may deliver the fix while the request's subscription is created")
    func deliversDuringSubscription() {
        let device = Device(
            name: "fixed", clock: VirtualClock(), configuration: Configuration(), positionSource: FixedPosition())
        let recorder = Recorder()
        let isDelivered = DispatchSemaphore(value: 0)
        recorder.onLocations = { _, _ in isDelivered.signal() }
        Device.$current.withValue(device) {
            let manager = CLLocationManager()
            manager.delegateQueue = DispatchQueue(label: "fixed")
            manager.delegate = recorder
            manager.requestLocation()
            #expect(isDelivered.wait(timeout: .now() + 60) == .success)
            withExtendedLifetime(manager) {}
        }
        #expect(recorder.locations.map(\.coordinate.latitude) == [48])
    }
}
