// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The motion sensors of a played trace. For every sample, the player asks which sensors have subscribers. To save
/// time, the feed checks the subscriptions only when they have changed.
final class MotionFeed: Sendable {
    let hub: MotionHub
    private let change: SubscriptionChangeFlag
    /// All sensors of the trace. Trace events contain indices into this array.
    let sensors: [SensorDescription]
    /// For each element of `sensors`, true if the device includes the sensor.
    private let isPlayed: [Bool]

    /// A flag that is set if subscriptions have changed since the player last checked.
    private final class SubscriptionChangeFlag: Sendable {
        let isSet = Atomic<Bool>(true)
    }

    /// Creates a feed. The IDs of the played sensors must be unique.
    init(sensors: [SensorDescription], isPlayed: [Bool], contexts: [String]) {
        let change = SubscriptionChangeFlag()
        (self.change, self.sensors, self.isPlayed) = (change, sensors, isPlayed)
        hub = MotionHub(sensors: zip(sensors, isPlayed).filter(\.1).map(\.0), contextDescriptions: contexts) {
            change.isSet.store(true, ordering: .releasing)
        }
    }

    /// Returns the ID of a sensor, or nil if the device does not include it.
    func id(_ index: Int) -> SensorDescription.ID? {
        isPlayed.indices.contains(index) && isPlayed[index] ? sensors[index].id : nil
    }

    /// If subscriptions have changed, checks which sensors have subscribers.
    @inline(__always)
    func update(_ wanted: inout [Bool]) {
        guard change.isSet.load(ordering: .acquiring) else { return }
        change.isSet.store(false, ordering: .releasing)
        wanted = sensors.indices.map { isPlayed[$0] && hub.demand(of: sensors[$0].id) != nil }
    }
}
