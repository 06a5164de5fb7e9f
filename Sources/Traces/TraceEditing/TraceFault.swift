// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// A fault that a ``FaultEdit`` injects into a trace.
public struct TraceFault: Sendable, Hashable {
    /// The kind of fault.
    public enum Action: Sendable, Hashable {
        /// The receivers report no fix.
        case noFix
        /// gpsd or the target sensor delivers no events.
        case silence
        /// gpsd or the target sensor is lost and later becomes available again. Both events are added to the trace.
        case loss
        /// Events are dropped with the given probability.
        case drop(Double)
        /// Events are duplicated with the given probability.
        case duplicate(Double)
        /// Events are delayed by up to the given time. Measurement times do not change.
        case jitter(Duration)
        /// A sensor repeats the same reading. If an axis (0 to 2) is given, only that axis repeats its value.
        case stuck(axis: Int?)
        /// The readings saturate: the magnitude of each component is limited to the given value, in the sensor's unit.
        /// A target is required if the trace contains several kinds of sensors.
        case saturation(Double)
        /// The given vector is added to the readings, in the sensor's own axes and unit. If the trace contains several
        /// kinds of sensors, a target is required.
        case disturbance(SIMD3<Double>)
        /// The receivers' clocks are off by the given time.
        case clockStep(Duration)
        /// An accessory is unplugged until the trace attaches it again. A duration is not allowed.
        case unplug
        /// An accessory is unplugged during the program's next write. A duration is not allowed.
        case unplugDuringWrite
    }

    /// The kind of fault.
    public var action: Action
    /// The target: "gpsd", a sensor's ID or kind, or an accessory's ID in the trace. For ``Action/noFix`` and
    /// ``Action/clockStep(_:)``, it may also be a receiver's path. If nil, ``Action/silence`` and ``Action/loss`` apply
    /// to gpsd, and all other faults apply to every possible target.
    public var target: String?
    /// The time from the start of the trace to the start of the fault. The fault must not start after the last event.
    public var start: Duration
    /// The duration, or nil if the fault does not end.
    public var duration: Duration?

    /// Creates a fault.
    public init(_ action: Action, target: String? = nil, at start: Duration = .zero, for duration: Duration? = nil) {
        (self.action, self.target, self.start, self.duration) = (action, target, start, duration)
    }
}

extension TraceFault: CustomStringConvertible {
    /// The maximum jitter in seconds, which limits how much of a trace is kept in memory.
    package static let maximumJitter = 60.0

    /// The faults with their values and targets, one per line, for the help text of commands.
    public static let syntax = """
        nofix                   receivers report no fix
        silence                 gpsd, or the given sensor, sends nothing
        loss                    gpsd, or the given sensor, is reported as lost
        restart                 gpsd is lost and returns after one second, or after the duration
        drop=0.01               events are dropped with the given probability
        duplicate=0.01          events are duplicated with the given probability
        jitter=20ms             events are delayed by up to the given time
        stuck(gyroscope.x)      a sensor, or one of its axes, repeats its last value
        saturate=4.36(gyroscope)  values are limited to the given magnitude, in the sensor's unit
        disturb=0.3/0/0.1(magnetometer)  the given vector is added to the readings, in the sensor's axes
        clockstep=-2s           the receivers' clocks are wrong by the given time
        unplug(1)               an accessory is unplugged until the recording attaches it again
        cut(1)                  an accessory is unplugged in the middle of the next write
        """

    package static let names = NameSuggestion.names(inTable: syntax)

    /// Parses a fault list such as `nofix@10s+5s,drop=0.01(gyroscope)`. Throws an error if the list is empty.
    public static func list(_ text: String) throws(DeviceError) -> [TraceFault] { try list(text, start: nil) }

    /// Parses a fault list. The times of faults may be dates, unless `start`, the time of the recording's start, is nil.
    package static func list(_ text: String, start: WallTime?) throws(DeviceError) -> [TraceFault] {
        var faults: [TraceFault] = []
        for clause in try FaultClause.list(text, start: start) { faults.append(try TraceFault(clause)) }
        return faults
    }

    /// The fault in the syntax of ``list(_:)``, as stored in the header of a trace.
    public var description: String {
        var (name, value, part) = ("", "", "")
        switch action {
        case .noFix: name = "nofix"
        case .silence: name = "silence"
        case .loss: name = "loss"
        case .drop(let probability): (name, value) = ("drop", "\(probability)")
        case .duplicate(let probability): (name, value) = ("duplicate", "\(probability)")
        case .jitter(let delay): (name, value) = ("jitter", "\(delay.inSeconds)s")
        case .stuck(let axis):
            name = "stuck"
            if let axis, (0...2).contains(axis) { part = [".x", ".y", ".z"][axis] }
        case .saturation(let limit): (name, value) = ("saturate", "\(limit)")
        case .disturbance(let more): (name, value) = ("disturb", "\(more.x)/\(more.y)/\(more.z)")
        case .clockStep(let step): (name, value) = ("clockstep", "\(step.inSeconds)s")
        case .unplug: name = "unplug"
        case .unplugDuringWrite: name = "cut"
        }
        var text = name
        if !value.isEmpty { text += "=\(value)" }
        if target != nil || !part.isEmpty { text += "(\(target ?? "")\(part))" }
        if start > .zero || duration != nil { text += "@\(start.inSeconds)s" }
        if let duration { text += "+\(duration.inSeconds)s" }
        return text
    }

    private init(_ clause: FaultClause) throws(DeviceError) {
        var target = clause.target
        switch clause.name {
        case "drop": action = .drop(try clause.number(in: 0...1))
        case "duplicate": action = .duplicate(try clause.number(in: 0...1))
        case "jitter":
            let seconds = try clause.seconds()
            guard seconds <= Self.maximumJitter else { throw clause.error("needs a time of at most 60 s") }
            action = .jitter(.seconds(seconds))
        case "saturate": action = .saturation(try clause.number(in: 0...1e9))
        case "disturb":
            let numbers = try clause.numbers(3)
            action = .disturbance(SIMD3(numbers[0], numbers[1], numbers[2]))
        case "clockstep": action = .clockStep(.seconds(try clause.seconds(isSigned: true)))
        default:
            action = try Self.actionWithoutValue(clause, &target)
            try clause.requireNoValue()
        }
        self.target = target
        if case .seconds(let seconds) = clause.moment {
            start = .seconds(seconds)
        } else {
            start = .zero
        }
        duration = clause.duration.map { .seconds($0) }
        if !action.hasDuration { try clause.requireNoDuration() }
        if clause.name == "restart" {
            guard target == nil || target == "gpsd" else { throw clause.error("applies only to gpsd") }
            self.target = "gpsd"
            duration = duration ?? .seconds(1)
        }
    }

    private static func actionWithoutValue(_ clause: FaultClause, _ target: inout String?) throws(DeviceError) -> Action
    {
        switch clause.name {
        case "nofix": return .noFix
        case "silence": return .silence
        case "loss", "restart": return .loss
        case "unplug": return .unplug
        case "cut": return .unplugDuringWrite
        case "stuck":
            guard let name = target else { return .stuck(axis: nil) }
            for (axis, suffix) in [".x", ".y", ".z"].enumerated() where name.hasSuffix(suffix) {
                target = name == suffix ? nil : String(name.dropLast(2))
                return .stuck(axis: axis)
            }
            return .stuck(axis: nil)
        default: throw clause.unknownName(among: names)
        }
    }
}
