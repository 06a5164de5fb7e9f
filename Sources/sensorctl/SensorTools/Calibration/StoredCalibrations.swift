// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What is stored of the calibrations of a device's sensors.
package struct StoredCalibrations {
    package struct Entry: Sendable {
        package let sensor: SensorDescription
        package let outcome: CalibrationOutcome
        package let date: WallTime
    }

    private let store: any CalibrationStore
    private let sensors: [SensorDescription]
    package let now: WallTime

    package init(_ device: Device) {
        store = device.calibrations
        sensors = device.motionSource.sensors.filter(\.kind.isVector)
        now = device.clock.wallTime
    }

    /// Stores what was found; says where, nil when it is nothing to be stored.
    package func keep(_ outcome: CalibrationOutcome, of sensor: SensorDescription) throws(DeviceError) -> String? {
        guard store.isWritable, let calibration = outcome.stored(sensor.mountMatrix, date: now) else { return nil }
        let identity = SensorIdentity(sensor)
        try store.store(calibration, for: identity)
        return store.file(of: identity) ?? identity.key
    }

    /// What there is for the sensors that are there.
    package var entries: [Entry] {
        sensors.compactMap { sensor in
            guard let stored = store.load(SensorIdentity(sensor)), let outcome = CalibrationOutcome(stored, of: sensor)
            else { return nil }
            return Entry(sensor: sensor, outcome: outcome, date: stored.date)
        }
    }

    /// Why something that is stored cannot be used.
    package var problems: [DeviceError] { store.problems }

    /// Forgets what is stored of a topic, of all where none is given; says how many there were.
    package func forget(_ topic: CalibrationTopic?) throws(DeviceError) -> Int {
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
    package var title: String { "\(sensor.kind.name) \(sensor.shownName)" }

    /// How long ago it was found, in words.
    package func age(at now: WallTime) -> String {
        let seconds = now.seconds(since: date)
        switch seconds {
        case ..<0: return "in the future, by the clock of this machine"
        case ..<120: return "just now"
        case ..<7200: return "\(Int(seconds / 60)) minutes ago"
        case ..<172_800: return "\(Int(seconds / 3600)) hours ago"
        default: return "\(Int(min(seconds / 86_400, 1e6))) days ago"
        }
    }
}
