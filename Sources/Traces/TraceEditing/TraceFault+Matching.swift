// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension TraceFault {
    var startNanoseconds: Int64 { max(0, Int64(saturatingSeconds: start) ?? 0) }

    /// The end in nanoseconds since the start of the trace; nil for a fault without an end.
    var endNanoseconds: Int64? {
        duration.map { startNanoseconds.addingSaturated(max(0, Int64(saturatingSeconds: $0) ?? 0)) }
    }

    func isActive(at time: Int64) -> Bool { time >= startNanoseconds && endNanoseconds.map { time < $0 } ?? true }

    /// The path of the only receiver to which the fault applies; nil for all.
    var receiver: String? { appliesToPositions ? nil : target }

    /// True if the fault has no target or the target "gpsd".
    var appliesToPositions: Bool { target == nil || target == "gpsd" }

    func applies(toSensor: SensorDescription.ID, _ kind: SensorKind) -> Bool {
        target == nil || target == toSensor || target == kind.rawValue
    }

    /// True if the fault changes the event.
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
