// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The stored calibrations of the vector sensors that were connected when this value was created. Other kinds of sensor
/// cannot be calibrated.
package struct StoredCalibrations {
    package struct Entry: Sendable {
        package let sensor: SensorDescription
        package let outcome: CalibrationOutcome
        package let date: WallTime
    }

    private let store: any CalibrationStore
    private let sensors: [SensorDescription]
    /// The time at which this value was created.
    package let now: WallTime

    package init(_ device: Device) {
        store = device.calibrations
        sensors = device.motionSource.sensors.filter(\.kind.isVector)
        now = device.clock.wallTime
    }

    /// Stores the outcome. Returns the path of the sensor's calibration file, or the sensor's key if the store does not
    /// use files. Returns nil if the store is read-only or the outcome is a mount matrix. Throws if writing fails.
    package func store(_ outcome: CalibrationOutcome, of sensor: SensorDescription) throws(DeviceError) -> String? {
        guard store.isWritable, let calibration = outcome.stored(sensor.mountMatrix, date: now) else { return nil }
        let identity = SensorIdentity(sensor)
        try store.store(calibration, for: identity)
        return store.file(of: identity) ?? identity.key
    }

    /// The usable calibrations, reread on each access.
    package var entries: [Entry] {
        sensors.compactMap { sensor in
            guard let stored = store.load(SensorIdentity(sensor)), let outcome = CalibrationOutcome(stored, of: sensor)
            else { return nil }
            return Entry(sensor: sensor, outcome: outcome, date: stored.date)
        }
    }

    /// The problems with the files read or written so far. To include all files, access `entries` first, which reads
    /// them all.
    package var problems: [DeviceError] { store.problems }

    /// Removes the calibrations of all sensors of the topic's kind, or of all `sensors` if `topic` is nil. Returns the
    /// number of usable calibrations removed. Unusable files are removed too.
    package func remove(_ topic: CalibrationTopic?) throws(DeviceError) -> Int {
        var count = 0
        for sensor in sensors where topic.map({ $0.kind == sensor.kind }) ?? true {
            let identity = SensorIdentity(sensor)
            if store.load(identity) != nil { count += 1 }
            try store.remove(identity)
        }
        return count
    }
}

extension StoredCalibrations.Entry {
    package var title: String { "\(sensor.kind.name) \(sensor.displayName)" }

    package func age(at now: WallTime) -> String {
        let seconds = now.seconds(since: date)
        switch seconds {
        case ..<0: return "in the future according to this machine's clock"
        case ..<120: return "just now"
        case ..<7200: return "\(Int(seconds / 60)) minutes ago"
        case ..<172_800: return "\(Int(seconds / 3600)) hours ago"
        default: return "\(Int(min(seconds / 86_400, 1e6))) days ago"
        }
    }
}
