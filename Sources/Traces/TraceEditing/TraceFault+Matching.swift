// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

extension TraceFault {
    var startNanoseconds: Int64 { max(0, Int64(saturatingSeconds: start) ?? 0) }

    /// Nil for a fault that stays.
    var endNanoseconds: Int64? {
        duration.map { startNanoseconds.addingSaturated(max(0, Int64(saturatingSeconds: $0) ?? 0)) }
    }

    func isDue(at time: Int64) -> Bool {
        time >= startNanoseconds && endNanoseconds.map { time < $0 } ?? true
    }

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
        case .gpsd, .gpsdText:
            switch action {
            case .noFix, .clockStep: return true
            case .silence, .loss, .drop, .duplicate, .jitter: return isForPositions
            case .stuck, .saturation, .disturbance, .unplug, .unplugInWrite: return false
            }
        case .sample(_, let kind, let sensor, _):
            switch action {
            case .drop, .duplicate, .jitter, .stuck, .saturation, .disturbance: return meets(sensor: sensor, kind)
            // Those that name nothing are of gpsd.
            case .silence, .loss: return target != nil && meets(sensor: sensor, kind)
            case .noFix, .clockStep, .unplug, .unplugInWrite: return false
            }
        case .accessory(let accessory):
            guard target == nil || target == accessory.accessory else { return false }
            switch action {
            case .unplugInWrite: return true
            default: return false
            }
        case .lost, .regained, .sensorLost, .sensorRegained, .battery: return false
        }
    }
}
