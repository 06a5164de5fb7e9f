// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes

/// What is stored of the calibrations of a device's sensors.
struct StoredCalibrations {
    /// One of them.
    struct Entry: Sendable {
        let sensor: SensorDescription
        let outcome: CalibrationOutcome
        let date: WallTime
    }

    private let store: any CalibrationStore
    private let sensors: [SensorDescription]
    private let now: WallTime

    init(_ device: Device) {
        store = device.calibrations
        sensors = device.motionSource.sensors.filter(\.kind.isVector)
        now = device.clock.wallTime
    }

    /// Stores what was found; says where, nil when it is nothing to be stored.
    func keep(_ outcome: CalibrationOutcome, of sensor: SensorDescription) throws(DeviceError) -> String? {
        guard store.isWritable, let calibration = outcome.stored(sensor.mountMatrix, date: now) else { return nil }
        let identity = SensorIdentity(sensor)
        try store.store(calibration, for: identity)
        return (store as? CalibrationFolder)?.file(of: identity) ?? identity.key
    }

    /// What there is for the sensors that are there.
    var entries: [Entry] {
        sensors.compactMap { sensor in
            guard let stored = store.load(SensorIdentity(sensor)), let outcome = CalibrationOutcome(stored, of: sensor)
            else { return nil }
            return Entry(sensor: sensor, outcome: outcome, date: stored.date)
        }
    }

    /// Why something that is stored cannot be used.
    var problems: [DeviceError] { store.problems }

    /// Prints what is stored.
    func show(_ topic: CalibrationTopic?, asJSON: Bool, output: StandardOutput) -> ExitStatus {
        let wanted = entries.filter { topic == nil || $0.outcome.topic == topic }
        for entry in wanted {
            if asJSON {
                var writer = JSONWriter()
                entry.outcome.write(to: &writer, sensor: entry.sensor) { writer in
                    writer.key("date")
                    writer.string(CivilDate(entry.date).timestamp)
                }
                writer.newline()
                output.write(writer.bytes)
            } else {
                output.write(line: "\(entry.title), found \(entry.age(at: now))")
                for line in entry.outcome.lines(of: entry.sensor) { output.write(line: "  \(line)") }
            }
        }
        for problem in problems { Notes.warn(problem.description) }
        if wanted.isEmpty { Notes.say("nothing is stored for the sensors that are there") }
        return .success
    }

    /// Forgets what is stored.
    func forget(_ topic: CalibrationTopic?) -> ExitStatus {
        var count = 0
        for sensor in sensors where topic.map({ $0.kind == sensor.kind }) ?? true {
            let identity = SensorIdentity(sensor)
            if store.load(identity) != nil { count += 1 }
            do throws(DeviceError) {
                try store.remove(identity)
            } catch {
                Notes.fail(error.description)
                return .cannotCreate
            }
        }
        Notes.say(count == 1 ? "forgot one calibration" : "forgot \(count) calibrations")
        return .success
    }
}

extension StoredCalibrations.Entry {
    /// The sensor, in words.
    var title: String { "\(sensor.kind.name) \(sensor.name.isEmpty ? sensor.id : sensor.name)" }

    /// How long ago it was found, in words.
    func age(at now: WallTime) -> String {
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
