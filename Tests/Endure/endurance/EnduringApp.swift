// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import ExternalAccessory
import Foundation
import GPSDSource
import LiveDevice

/// A program with managers of all three frameworks that runs for hours and counts its callbacks on the main thread.
///
/// Unchecked, because everything happens on the main thread.
final class EnduringApp: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    let locationManager = CLLocationManager()
    let motionManager = CMMotionManager()
    private var locations = Ledger("location", interval: Numbers.fixInterval, tolerance: 0.5)
    /// Timestamps of another machine are converted by their arrival, which may be delayed.
    private var accelerations = EnduringApp.sensor("accelerometer")
    private var rotations = EnduringApp.sensor("gyroscope")
    private var fields = EnduringApp.sensor("magnetometer")
    private var isNumbered = true
    private var talks: [Int: AccessoryTalk] = [:]
    var heldDescriptors: [Int32] = []

    private static func sensor(_ name: String) -> Ledger {
        Ledger(name, interval: Numbers.sampleInterval, period: Numbers.samplePeriod, tolerance: 1)
    }

    func run() {
        locationManager.delegate = self
        locationManager.pausesLocationUpdatesAutomatically = false
        locationManager.startUpdatingLocation()
        startMotion()
        observeAccessories()
        Lines.hear { words in DispatchQueue.main.async { self.obey(words) } }
        // The manager does not retain its delegate.
        withExtendedLifetime(self) { RunLoop.main.run() }
    }

    private func startMotion() {
        motionManager.accelerometerUpdateInterval = 0
        motionManager.gyroUpdateInterval = 0
        motionManager.magnetometerUpdateInterval = 0
        motionManager.startAccelerometerUpdates(to: .main) { [self] data, error in
            // In units of gravity, with the opposite sign of the kernel's convention.
            take(
                data.map { ($0.acceleration.x * -9.80665, $0.acceleration.y * -9.80665, $0.timestamp) }, \.accelerations
            )
        }
        motionManager.startGyroUpdates(to: .main) { [self] data, error in
            take(data.map { ($0.rotationRate.x, $0.rotationRate.y, $0.timestamp) }, \.rotations)
        }
        motionManager.startMagnetometerUpdates(to: .main) { [self] data, error in
            // One gauss is 100 µT.
            take(data.map { ($0.magneticField.x / 100, $0.magneticField.y / 100, $0.timestamp) }, \.fields)
        }
    }

    private func take(
        _ reading: (x: Double, y: Double, time: Double)?, _ ledger: ReferenceWritableKeyPath<EnduringApp, Ledger>
    ) {
        guard let (x, y, time) = reading else { return self[keyPath: ledger].lose() }
        let run = isNumbered ? Int(y.rounded()) : 0
        self[keyPath: ledger].take(run: run, number: isNumbered ? Int(x.rounded()) : 0, time: time)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations event: [CLLocation]) {
        for location in event {
            locations.take(
                run: Numbers.run(of: location.coordinate), number: Numbers.number(of: location.coordinate),
                time: location.timestamp.timeIntervalSince1970)
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { locations.lose() }

    private func observeAccessories() {
        let center = NotificationCenter.default
        _ = center.addObserver(forName: .EAAccessoryDidConnect, object: nil, queue: nil) { [self] note in
            guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            let number = Int(accessory.serialNumber) ?? -1
            Lines.say("connected", ["number": number])
            talks[number] = AccessoryTalk(accessory, number)
        }
        _ = center.addObserver(forName: .EAAccessoryDidDisconnect, object: nil, queue: nil) { [self] note in
            guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            let number = Int(accessory.serialNumber) ?? -1
            Lines.say("gone", ["number": number])
            talks.removeValue(forKey: number)?.end()
        }
        EAAccessoryManager.shared().registerForLocalNotifications()
        Lines.say("ready", ["accessories": EAAccessoryManager.shared().connectedAccessories.count])
    }

    // MARK: Commands

    private func obey(_ words: [String]) {
        let id = words.first.flatMap { Int($0) } ?? 0
        let number = words.dropFirst(2).first.flatMap { Int($0) } ?? 0
        switch words.dropFirst().first {
        case "state": tellState(id)
        case "close":
            for ledger in [\EnduringApp.locations, \.accelerations, \.rotations, \.fields] {
                self[keyPath: ledger].close()
            }
            Lines.say("answer", ["id": id])
        case "numbered":
            isNumbered = number != 0
            Lines.say("answer", ["id": id])
        case "stall": stall(id, milliseconds: number)
        case "crowd": crowd(id, number)
        case "use-descriptors": useDescriptors(id, leaving: number)
        case "free-descriptors": freeDescriptors(id)
        default: exit(64)
        }
    }

    private func tellState(_ id: Int) {
        let stale = (LiveDevice.shared.positionSource as? GPSDSource)?.statistics.staleReports ?? 0
        Lines.say(
            "answer",
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
