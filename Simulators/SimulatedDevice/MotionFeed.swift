// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The motion sensors of a played trace, with a cache of the sensors that have subscribers, because the player needs
/// them for every sample.
final class MotionFeed: Sendable {
    let hub: MotionHub
    private let change: SubscriptionChangeFlag
    /// The sensors, in the order in which the trace's events refer to them.
    let sensors: [SensorDescription]
    /// Whether the device has each sensor.
    private let isPlayed: [Bool]

    /// A flag that is set when subscriptions have changed since the player last checked.
    private final class SubscriptionChangeFlag: Sendable {
        let isSet = Atomic<Bool>(true)
    }

    /// Creates the motion sensors of a device from all sensors of the trace. The ids of the played ones must be unique.
    init(sensors: [SensorDescription], isPlayed: [Bool], contexts: [String]) {
        let change = SubscriptionChangeFlag()
        (self.change, self.sensors, self.isPlayed) = (change, sensors, isPlayed)
        hub = MotionHub(sensors: zip(sensors, isPlayed).filter(\.1).map(\.0), contextDescriptions: contexts) {
            change.isSet.store(true, ordering: .releasing)
        }
    }

    /// Returns the id of a sensor; nil if the device does not have the sensor.
    func id(_ index: Int) -> SensorDescription.ID? {
        isPlayed.indices.contains(index) && isPlayed[index] ? sensors[index].id : nil
    }

    /// Updates the list of sensors with subscribers if subscriptions have changed.
    @inline(__always)
    func update(_ wanted: inout [Bool]) {
        guard change.isSet.load(ordering: .acquiring) else { return }
        change.isSet.store(false, ordering: .releasing)
        wanted = sensors.indices.map { isPlayed[$0] && hub.demand(of: sensors[$0].id) != nil }
    }
}
