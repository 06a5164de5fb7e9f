// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension TraceFault.Action {
    /// What it happens to.
    enum Subject {
        case receivers
        case accessories
        /// gpsd as a whole, or sensors.
        case streams
        case sensors
    }

    var subject: Subject {
        switch self {
        case .noFix, .clockStep: .receivers
        case .silence, .loss, .drop, .duplicate, .jitter: .streams
        case .stuck, .saturation, .disturbance: .sensors
        case .unplug, .unplugInWrite: .accessories
        }
    }

    /// False for what happens in an instant.
    var lasts: Bool { subject != .accessories }

    /// True for what means another thing for each kind of sensor.
    fileprivate var needsKind: Bool {
        switch self {
        case .saturation, .disturbance: true
        default: false
        }
    }
}

extension TraceFault {
    /// Throws when it cannot happen to what it names, as far as the header tells.
    func check(against header: TraceHeader) throws(DeviceError) {
        if duration != nil, !action.lasts { throw wrong("takes no duration, for it does not end by itself") }
        let kinds = Set(header.sensors.map(\.kind))
        guard let target else {
            guard action.needsKind, kinds.count > 1 else { return }
            throw wrong(
                "needs the sensor that it is of, for the recording has several kinds: \(Self.list(header.sensors))")
        }
        switch action.subject {
        case .receivers:
            let isSensor =
                header.sensors.contains { meets(sensor: $0.id, $0.kind) } || SensorKind(rawValue: target) != nil
            if isSensor { throw wrong("is of receivers, not of sensors") }
        case .accessories: if target == "gpsd" { throw wrong("is of accessories, not of gpsd") }
        case .streams, .sensors:
            if action.subject == .streams, target == "gpsd" { return }
            guard !header.sensors.contains(where: { meets(sensor: $0.id, $0.kind) }) else { return }
            let known =
                header.sensors.isEmpty
                ? "the recording has no motion sensors" : "there are \(Self.list(header.sensors))"
            throw wrong("names \"\(target)\", which is no sensor of the recording: \(known)")
        }
    }

    /// Throws when it would begin behind the last event.
    func check(end: Int64) throws(DeviceError) {
        guard startNanoseconds > end else { return }
        throw wrong("begins behind the end of the recording, which is at \(Double(end / 1_000_000) / 1000) s")
    }

    /// Throws when it names a receiver or an accessory that the trace did not have.
    func check(receivers: Set<String>, accessories: [String: String]) throws(DeviceError) {
        guard let target else { return }
        switch action.subject {
        case .receivers:
            guard target != "gpsd", !receivers.contains(target) else { return }
            throw unknown("receiver", target, among: receivers.sorted())
        case .accessories:
            guard accessories[target] == nil else { return }
            throw unknown(
                "accessory", target,
                among: accessories.sorted { $0.key < $1.key }.map { $1.isEmpty ? $0 : "\($0) (\($1))" })
        case .streams, .sensors: return
        }
    }

    private func unknown(_ what: String, _ target: String, among known: [String]) -> DeviceError {
        let others = known.isEmpty ? "it has none" : "it has \(known.prefix(20).joined(separator: ", "))"
        return wrong("names \"\(target)\", which is no \(what) of the recording: \(others)")
    }

    private func wrong(_ reason: String) -> DeviceError { FaultClause.wrong(description, reason) }

    private static func list(_ sensors: [SensorDescription]) -> String {
        sensors.prefix(20).map { $0.id == $0.kind.rawValue ? $0.id : "\($0.id) (\($0.kind.rawValue))" }
            .joined(separator: ", ")
    }
}
