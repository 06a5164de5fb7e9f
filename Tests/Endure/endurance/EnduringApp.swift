// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import ExternalAccessory
import Foundation
import GPSDSource
import LiveDevice

/// A program with managers of all three frameworks that runs for hours and counts its callbacks on the main thread.
///
/// Unchecked, because it is used only on the main thread.
final class EnduringApp: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    let locationManager = CLLocationManager()
    let motionManager = CMMotionManager()
    private var locations = ReadingCounter("location", interval: Numbers.fixInterval, tolerance: 0.5)
    /// Timestamps of another machine are converted using the time of arrival, which may be delayed.
    private var accelerations = EnduringApp.sensor("accelerometer")
    private var rotations = EnduringApp.sensor("gyroscope")
    private var fields = EnduringApp.sensor("magnetometer")
    private var isNumbered = true
    private var sessions: [Int: EchoSession] = [:]
    var heldDescriptors: [Int32] = []

    private static func sensor(_ name: String) -> ReadingCounter {
        ReadingCounter(name, interval: Numbers.sampleInterval, period: Numbers.samplePeriod, tolerance: 1)
    }

    func run() {
        locationManager.delegate = self
        locationManager.pausesLocationUpdatesAutomatically = false
        locationManager.startUpdatingLocation()
        startMotion()
        observeAccessories()
        Lines.readCommands { words in DispatchQueue.main.async { self.execute(words) } }
        // The manager does not retain its delegate.
        withExtendedLifetime(self) { RunLoop.main.run() }
    }

    private func startMotion() {
        motionManager.accelerometerUpdateInterval = 0
        motionManager.gyroUpdateInterval = 0
        motionManager.magnetometerUpdateInterval = 0
        motionManager.startAccelerometerUpdates(to: .main) { [self] data, error in
            // In units of gravity, with the opposite sign of the kernel's convention.
            record(
                data.map { ($0.acceleration.x * -9.80665, $0.acceleration.y * -9.80665, $0.timestamp) }, \.accelerations
            )
        }
        motionManager.startGyroUpdates(to: .main) { [self] data, error in
            record(data.map { ($0.rotationRate.x, $0.rotationRate.y, $0.timestamp) }, \.rotations)
        }
        motionManager.startMagnetometerUpdates(to: .main) { [self] data, error in
            // One gauss is 100 µT.
            record(data.map { ($0.magneticField.x / 100, $0.magneticField.y / 100, $0.timestamp) }, \.fields)
        }
    }

    private func record(
        _ reading: (x: Double, y: Double, time: Double)?, _ path: ReferenceWritableKeyPath<EnduringApp, ReadingCounter>
    ) {
        guard let (x, y, time) = reading else { return self[keyPath: path].recordLoss() }
        let run = isNumbered ? Int(y.rounded()) : 0
        self[keyPath: path].record(run: run, number: isNumbered ? Int(x.rounded()) : 0, time: time)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations event: [CLLocation]) {
        for location in event {
            locations.record(
                run: Numbers.run(of: location.coordinate), number: Numbers.number(of: location.coordinate),
                time: location.timestamp.timeIntervalSince1970)
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { locations.recordLoss() }

    private func observeAccessories() {
        let center = NotificationCenter.default
        _ = center.addObserver(forName: .EAAccessoryDidConnect, object: nil, queue: nil) { [self] notification in
            guard let accessory = notification.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            let number = Int(accessory.serialNumber) ?? -1
            Lines.write("connected", ["number": number])
            sessions[number] = EchoSession(accessory, number)
        }
        _ = center.addObserver(forName: .EAAccessoryDidDisconnect, object: nil, queue: nil) { [self] notification in
            guard let accessory = notification.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            let number = Int(accessory.serialNumber) ?? -1
            Lines.write("disconnected", ["number": number])
            sessions.removeValue(forKey: number)?.close()
        }
        EAAccessoryManager.shared().registerForLocalNotifications()
        Lines.write("ready", ["accessories": EAAccessoryManager.shared().connectedAccessories.count])
    }

    // MARK: Commands

    private func execute(_ words: [String]) {
        let id = words.first.flatMap { Int($0) } ?? 0
        let number = words.dropFirst(2).first.flatMap { Int($0) } ?? 0
        switch words.dropFirst().first {
        case "state": reportState(id)
        case "close":
            for counter in [\EnduringApp.locations, \.accelerations, \.rotations, \.fields] {
                self[keyPath: counter].close()
            }
            Lines.write("response", ["id": id])
        case "numbered":
            isNumbered = number != 0
            Lines.write("response", ["id": id])
        case "stall": stall(id, milliseconds: number)
        case "create-managers": createManagers(id, count: number)
        case "use-descriptors": useDescriptors(id, leaving: number)
        case "free-descriptors": freeDescriptors(id)
        default: exit(64)
        }
    }

    private func reportState(_ id: Int) {
        let stale = (LiveDevice.shared.positionSource as? GPSDSource)?.statistics.staleReports ?? 0
        Lines.write(
            "response",
            [
                "id": id, "threads": ProcessUse.threads, "descriptors": ProcessUse.descriptors,
                "resident": ProcessUse.resident, "heap": ProcessUse.heap, "location": locations.total,
                "accelerometer": accelerations.total, "gyroscope": rotations.total, "magnetometer": fields.total,
                "dropped-location": locationManager.droppedLocationCount + stale,
                "dropped-accelerometer": motionManager.droppedAccelerometerDataCount,
                "dropped-gyroscope": motionManager.droppedGyroDataCount,
                "dropped-magnetometer": motionManager.droppedMagnetometerDataCount,
            ])
    }
}
