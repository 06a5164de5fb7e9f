// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// A pedometer callback, as printed by `watch` and `replay`. Its JSON member names are public API.
struct PedometerReading: Reading {
    var steps: Int
    /// The distance in metres.
    var distance: Double?
    /// The pace in seconds per metre.
    var pace: Double?
    /// The cadence in steps per second.
    var cadence: Double?
    var floorsAscended: Int?
    var floorsDescended: Int?
    var time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "callback": "pedometerData", "numberOfSteps": steps, "distance": distance, "currentPace": pace,
            "currentCadence": cadence, "floorsAscended": floorsAscended, "floorsDescended": floorsDescended,
        ])
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let length = ink.units.length
        let columns = [
            "\(ink.bold(String(format: "%6d", steps))) \(ink.dim("steps"))",
            distance.map { String(format: "%8.1f %@", $0 * length.perSI, length.name) } ?? "       - \(length.name)",
            cadence.map { String(format: "%5.1f /min", $0 * 60) } ?? "    - /min",
            LocationFormatter.speed(pace.map { 1 / $0 } ?? -1, ink.units),
        ]
        let floors = floorsAscended.map { "\(ink.dim("floors")) +\($0) -\(floorsDescended ?? 0)" }
        return [
            ([ink.dim(CivilDate(time).timeOfDayWithTenths)] + columns + [floors].compactMap(\.self))
                .joined(separator: "  ")
        ]
    }
}

extension PedometerReading {
    init(_ data: CMPedometerData) {
        self.init(
            steps: data.numberOfSteps.intValue, distance: data.distance?.doubleValue,
            pace: data.currentPace?.doubleValue, cadence: data.currentCadence?.doubleValue,
            floorsAscended: data.floorsAscended?.intValue, floorsDescended: data.floorsDescended?.intValue,
            time: WallTime(seconds: data.endDate.timeIntervalSince1970) ?? .epoch)
    }
}

/// The activity of the person carrying the device.
struct MotionActivityReading: Reading {
    /// The activities, in the order they are printed.
    var flags: [(name: StaticString, isSet: Bool)]
    var confidence: String
    var start: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", "motionActivity")
        for (name, isSet) in flags { writer.member(name, isSet) }
        writer.members(["confidence": confidence, "startDate": CivilDate(start).timestamp])
    }

    var names: String { flags.filter(\.isSet).map { "\($0.name)" }.joined(separator: ", ") }

    func lines(_ ink: TerminalStyle) -> [String] {
        ["\(ink.dim(CivilDate(start).timeOfDayWithTenths))  \(ink.bold(names))  \(ink.dim(confidence))"]
    }
}

extension MotionActivityReading {
    init(_ activity: CMMotionActivity) {
        flags = [
            ("stationary", activity.stationary), ("walking", activity.walking), ("running", activity.running),
            ("cycling", activity.cycling), ("automotive", activity.automotive), ("unknown", activity.unknown),
        ]
        confidence = "\(activity.confidence)"
        start = WallTime(seconds: activity.startDate.timeIntervalSince1970) ?? .epoch
    }
}
