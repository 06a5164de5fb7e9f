// SPDX-License-Identifier: Apache-2.0

import Trace
public import DeviceCore

extension TraceFault: CustomStringConvertible {
    /// The most by which events may come late, in seconds: so much of a trace is kept in memory.
    public static let maximumJitter = 60.0

    /// How faults are written, for a command's help.
    public static let syntax = """
        A list of faults, parted by commas: name[=value][(target)][@when[+duration]]. When is a time from the start such as \
        2.5s or 300ms; without it the fault is there from the start, and without a duration for ever. The target is gpsd, a \
        kind of sensor (accelerometer, gyroscope, magnetometer, pressure), a sensor's id, for nofix and clockstep a \
        receiver's path, for unplug and cut an accessory's id. One that the recording has not is an error.
        nofix                   receivers report no fix
        silence                 gpsd, or the sensor named, says nothing
        loss                    gpsd, or the sensor named, is gone, and told to be
        restart                 gpsd goes and is back a second later, or after the duration
        drop=0.01               events are left out with that probability
        duplicate=0.01          events happen twice
        jitter=20ms             events come later, by up to that much
        stuck(gyroscope.x)      a sensor, or an axis of it, gives the last value again and again
        saturate=4.36(gyroscope) values are held at that magnitude, in the unit of the sensor
        disturb=0.3/0/0.1(magnetometer) is added to the readings, in the sensor's axes
        clockstep=-2s           the receivers' clocks go wrong by that much
        unplug(1)               an accessory is unplugged, until the recording attaches it again
        cut(1)                  the same in the middle of the next write
        """

    /// Reads a list of faults such as `nofix@10s+5s,drop=0.01(gyroscope)`; see ``syntax``. A list without any is an error.
    public static func list(_ text: String) throws(DeviceError) -> [TraceFault] {
        var faults: [TraceFault] = []
        for clause in try FaultClause.list(text) { faults.append(try TraceFault(clause)) }
        return faults
    }

    /// The fault as ``list(_:)`` reads it.
    public var description: String {
        var (name, value, part) = ("", "", "")
        switch action {
        case .noFix: name = "nofix"
        case .silence: name = "silence"
        case .loss: name = "loss"
        case .drop(let probability): (name, value) = ("drop", "\(probability)")
        case .duplicate(let probability): (name, value) = ("duplicate", "\(probability)")
        case .jitter(let seconds): (name, value) = ("jitter", "\(seconds)s")
        case .stuck(let axis):
            name = "stuck"
            if let axis, (0...2).contains(axis) { part = [".x", ".y", ".z"][axis] }
        case .saturation(let limit): (name, value) = ("saturate", "\(limit)")
        case .disturbance(let more): (name, value) = ("disturb", "\(more.x)/\(more.y)/\(more.z)")
        case .clockStep(let seconds): (name, value) = ("clockstep", "\(seconds)s")
        case .unplug: name = "unplug"
        case .unplugInWrite: name = "cut"
        }
        var text = name
        if !value.isEmpty { text += "=\(value)" }
        if let target { text += "(\(target)\(part))" }
        if start > 0 || duration != nil { text += "@\(start)s" }
        if let duration { text += "+\(duration)s" }
        return text
    }

    private init(_ clause: FaultClause) throws(DeviceError) {
        var target = clause.target
        switch clause.name {
        case "drop": action = .drop(try clause.number(in: 0...1))
        case "duplicate": action = .duplicate(try clause.number(in: 0...1))
        case "jitter":
            let seconds = try clause.seconds()
            guard seconds <= Self.maximumJitter else { throw clause.wrong("needs a time of at most 60 s") }
            action = .jitter(seconds)
        case "saturate": action = .saturation(try clause.number(in: 0...1e9))
        case "disturb":
            let numbers = try clause.numbers(3)
            action = .disturbance(SIMD3(numbers[0], numbers[1], numbers[2]))
        case "clockstep": action = .clockStep(try clause.seconds(isSigned: true))
        default:
            action = try Self.actionWithoutValue(clause, &target)
            try clause.refuseValue()
        }
        self.target = target
        if case .seconds(let seconds) = clause.moment { start = seconds } else { start = 0 }
        duration = clause.duration
        if !action.lasts { try clause.refuseDuration() }
        if clause.name == "restart" {
            guard target == nil || target == "gpsd" else { throw clause.wrong("is of gpsd alone") }
            self.target = "gpsd"
            duration = clause.duration ?? 1
        }
    }

    private static func actionWithoutValue(_ clause: FaultClause, _ target: inout String?) throws(DeviceError) -> Action
    {
        switch clause.name {
        case "nofix": return .noFix
        case "silence": return .silence
        case "loss", "restart": return .loss
        case "unplug": return .unplug
        case "cut": return .unplugInWrite
        case "stuck":
            guard let name = target else { return .stuck(axis: nil) }
            for (axis, suffix) in [".x", ".y", ".z"].enumerated() where name.hasSuffix(suffix) {
                target = String(name.dropLast(2))
                return .stuck(axis: axis)
            }
            return .stuck(axis: nil)
        default:
            throw clause.wrong(
                "is none of nofix, silence, loss, restart, drop, duplicate, jitter, stuck, saturate, disturb, clockstep, unplug, cut"
            )
        }
    }
}
