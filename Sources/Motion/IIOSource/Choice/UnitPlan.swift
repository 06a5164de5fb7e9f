// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// What is wanted of the sensors of one device together.
struct UnitPlan: Hashable {
    /// The sensors that somebody listens to, by their place in the unit.
    let active: [Int]
    /// Hertz: infinite for the greatest rate, 0 when any will do.
    let rate: Double
    /// Seconds that a sample may wait for others.
    let latency: Double
    /// True to read axis by axis.
    let isPolled: Bool

    /// The plan for what is wanted of each sensor of a unit; nil when nobody wants any.
    static func plan(
        for unit: SensorUnit, isPolled: Bool, demand: (SensorDescription.ID) -> MotionDemand?
    ) -> UnitPlan? {
        var active: [Int] = []
        var rate = 0.0
        var latency = Double.infinity
        for (index, member) in unit.members.enumerated() where member.sensor.isUsable {
            guard let wanted = demand(member.description.id) else { continue }
            active.append(index)
            rate = max(rate, wanted.rate)
            latency = min(latency, wanted.latency)
        }
        guard !active.isEmpty else { return nil }
        // Reading axis by axis is refused while a buffer of the same device runs: it is one or the other.
        let cannotBuffer = active.contains { !unit.members[$0].sensor.canBuffer }
        return UnitPlan(
            active: active, rate: rate, latency: latency, isPolled: isPolled || unit.isPolled || cannotBuffer)
    }
}
