// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension TraceFault {
    var startNanoseconds: Int64 { max(0, Int64(saturatingSeconds: start) ?? 0) }

    /// Nil for a fault that stays.
    var endNanoseconds: Int64? {
        duration.map { startNanoseconds.addingSaturated(max(0, Int64(saturatingSeconds: $0) ?? 0)) }
    }

    func isDue(at time: Int64) -> Bool { time >= startNanoseconds && endNanoseconds.map { time < $0 } ?? true }

    /// The path of the one receiver that it happens to; nil for all.
    var receiver: String? { isForPositions ? nil : target }

    /// True for a fault of gpsd: those that name nothing and could be one of it, or that name it.
    var isForPositions: Bool { target == nil || target == "gpsd" }

    func meets(sensor: SensorDescription.ID, _ kind: SensorKind) -> Bool {
        target == nil || target == sensor || target == kind.rawValue
    }

    /// True when the fault changes such an event.
    func meets(_ event: TraceEvent) -> Bool {
        switch event.contents {
        case .gpsd, .gpsdText: return action.subject == .receivers || (action.subject == .streams && isForPositions)
        case .sample(_, let kind, let sensor, _):
            switch action {
            // Those that name nothing are of gpsd.
            case .silence, .loss: return target != nil && meets(sensor: sensor, kind)
            default: return [.streams, .sensors].contains(action.subject) && meets(sensor: sensor, kind)
            }
        case .accessory(let accessory):
            return action == .unplugInWrite && (target == nil || target == accessory.accessory)
        case .lost, .regained, .sensorLost, .sensorRegained, .battery, .beacon: return false
        }
    }
}
