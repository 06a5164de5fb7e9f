// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

@Suite("Live updates in unusual states")
struct UpdateStateTests {
    /// Plays the lines to one loop and returns its updates.
    private func elements(
        _ lines: [String], reduced: Bool = false, then change: (@Sendable (SimulatedDevice) async -> Void)? = nil
    ) async throws -> [CLLocationUpdate] {
        var configuration = Configuration()
        configuration.reducesAccuracy = Setting(reduced, origin: .program)
        let device = try Drives.device(lines, configuration: configuration)
        let received = Mutex<[CLLocationUpdate]>([])
        try await device.use {
            let task = Task { @Sendable in
                for try await update in CLLocationUpdate.liveUpdates() { received.withLock { $0.append(update) } }
            }
            await device.waitForConsumers(1)
            if let change { await change(device) }
            try await device.play()
            task.cancel()
            try await task.value
        }
        return received.withLock { $0 }
    }

    @Test("A device at rest is reported as stationary even with reduced accuracy")
    func restsReduced() async throws {
        let lines = (0..<100).map { Drives.report(Double($0), latitude: 48) }
        let received = try await elements(lines, reduced: true)
        #expect(received.filter { $0.location != nil }.count == 1)
        #expect(received.filter(\.stationary).count == 1)
    }

    @Test("A stationary device reports that a lost fix has returned")
    func restsAndReturns() async throws {
        let lines = (0..<100).map { second in
            80..<85 ~= second ? Drives.report(Double(second), mode: 1) : Drives.report(Double(second), latitude: 48)
        }
        let received = try await elements(lines)
        #expect(received.filter(\.locationUnavailable).count == 1)
        #expect(received.last?.locationUnavailable == false)
        #expect(received.last?.location != nil)
    }

    @Test("The satellites from before a loss of the source are not added to later locations")
    func discardsSky() async throws {
        let sky = #"{"class":"SKY","device":"/dev/ttyACM0","satellites":[{"PRN":5}]}"#
        let received = try await elements([
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":0}}"#,
            #"{"t":0,"gpsd":\#(sky)}"#, #"{"t":0,"gpsd":\#(Drives.report(0, latitude: 48))}"#,
            #"{"t":4,"lost":{"code":"connectionLost","message":"gpsd closed the connection."}}"#,
            #"{"t":5,"regained":true}"#, #"{"t":9,"gpsd":\#(Drives.report(9, latitude: 49))}"#,
        ])
        #expect(received.compactMap(\.location).map(\.satellites.count) == [1, 0])
    }

    @Test("A sequence belongs to the device that is current at its creation", .timeLimit(.minutes(30)))
    func keepsDevice() async throws {
        let device = try Drives.device([Drives.report(0, latitude: 48)])
        let updates = device.use { CLLocationUpdate.liveUpdates() }
        let task = Task.detached { () -> Double? in
            let other = try Drives.device([Drives.report(0, latitude: 1)])
            return try await other.use {
                for try await update in updates where update.location != nil {
                    return update.location?.coordinate.latitude
                }
                return nil
            }
        }
        let watch = Task.detached {
            await device.waitForConsumers(1)
            try await device.play()
            return true
        }
        let latitude = try await task.value
        #expect(latitude == 48)
        watch.cancel()
    }
}
