// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The targets and periods of faults, and checks of faults against the trace.
extension TraceFault.Action {
    enum Subject {
        case receivers
        case accessories
        /// Event streams from gpsd or from sensors.
        case streams
        case sensors
    }

    var subject: Subject {
        switch self {
        case .noFix, .clockStep: .receivers
        case .silence, .loss, .drop, .duplicate, .jitter: .streams
        case .stuck, .saturation, .disturbance: .sensors
        case .unplug, .unplugDuringWrite: .accessories
        }
    }

    /// True if the fault lasts for a period, and false if it is instantaneous.
    var hasDuration: Bool { subject != .accessories }

    /// True if the meaning of the fault's value depends on the kind of sensor.
    fileprivate var needsKind: Bool {
        switch self {
        case .saturation, .disturbance: true
        default: false
        }
    }
}

extension TraceFault {
    /// Throws an error if the header shows that the fault cannot apply to its target.
    func check(against header: TraceHeader) throws(DeviceError) {
        if duration != nil, !action.hasDuration { throw error("accepts no duration, because it is instantaneous") }
        let kinds = Set(header.sensors.map(\.kind))
        guard let target else {
            guard action.needsKind, kinds.count > 1 else { return }
            throw error("needs a sensor, because the recording has several kinds: \(Self.list(header.sensors))")
        }
        switch action.subject {
        case .receivers:
            let isSensor =
                header.sensors.contains { applies(toSensor: $0.id, $0.kind) } || SensorKind(rawValue: target) != nil
            if isSensor { throw error("applies to receivers, not to sensors") }
        case .accessories: if target == "gpsd" { throw error("applies to accessories, not to gpsd") }
        case .streams, .sensors:
            if action.subject == .streams, target == "gpsd" { return }
            guard !header.sensors.contains(where: { applies(toSensor: $0.id, $0.kind) }) else { return }
            let known =
                header.sensors.isEmpty
                ? "the recording has none" : "the recording has \(Self.list(header.sensors))"
            throw error("names \"\(target)\", which is not a sensor of the recording: \(known)")
        }
    }

    /// Throws an error if the fault starts after the last event. `end` is that event's time in nanoseconds.
    func check(end: Int64) throws(DeviceError) {
        guard startNanoseconds > end else { return }
        throw error("begins after the end of the recording, which is at \(Double(end / 1_000_000) / 1000) s")
    }

    /// Throws an error if the target is a receiver or an accessory that is not in the trace.
    func check(receivers: Set<String>, accessories: [String: String]) throws(DeviceError) {
        guard let target else { return }
        switch action.subject {
        case .receivers:
            guard target != "gpsd", !receivers.contains(target) else { return }
            throw unknown("a receiver", target, among: receivers.sorted())
        case .accessories:
            guard accessories[target] == nil else { return }
            throw unknown(
                "an accessory", target,
                among: accessories.sorted { $0.key < $1.key }.map { $1.isEmpty ? $0 : "\($0) (\($1))" })
        case .streams, .sensors: return
        }
    }

    private func unknown(_ kind: String, _ target: String, among known: [String]) -> DeviceError {
        let others =
            known.isEmpty ? "the recording has none" : "the recording has \(known.prefix(20).joined(separator: ", "))"
        return error("names \"\(target)\", which is not \(kind) of the recording: \(others)")
    }

    private func error(_ reason: String) -> DeviceError { FaultClause.error(description, reason) }

    private static func list(_ sensors: [SensorDescription]) -> String {
        sensors.prefix(20).map { $0.id == $0.kind.rawValue ? $0.id : "\($0.id) (\($0.kind.rawValue))" }
            .joined(separator: ", ")
    }
}

extension TraceFault {
    var startNanoseconds: Int64 { max(0, Int64(saturatingSeconds: start.inSeconds) ?? 0) }

    /// The end of the fault, in nanoseconds since the start of the trace, or nil if the fault does not end.
    var endNanoseconds: Int64? {
        duration.map { startNanoseconds.addingSaturated(max(0, Int64(saturatingSeconds: $0.inSeconds) ?? 0)) }
    }

    func isActive(at time: Int64) -> Bool { time >= startNanoseconds && endNanoseconds.map { time < $0 } ?? true }

    /// The path of the only receiver that the fault affects, or nil if it affects all receivers.
    var receiver: String? { appliesToPositions ? nil : target }

    /// True if the fault has no target or the target "gpsd".
    var appliesToPositions: Bool { target == nil || target == "gpsd" }

    func applies(toSensor: SensorDescription.ID, _ kind: SensorKind) -> Bool {
        target == nil || target == toSensor || target == kind.rawValue
    }

    func applies(to event: TraceEvent) -> Bool {
        switch event.contents {
        case .gpsd, .gpsdText: return action.subject == .receivers || (action.subject == .streams && appliesToPositions)
        case .sample(_, let kind, let sensor, _):
            switch action {
            // Without a target, these faults apply to gpsd only.
            case .silence, .loss: return target != nil && applies(toSensor: sensor, kind)
            default: return [.streams, .sensors].contains(action.subject) && applies(toSensor: sensor, kind)
            }
        case .accessory(let accessory):
            return action == .unplugDuringWrite && (target == nil || target == accessory.accessory)
        case .lost, .regained, .sensorLost, .sensorRegained, .battery, .beacon: return false
        }
    }
}
