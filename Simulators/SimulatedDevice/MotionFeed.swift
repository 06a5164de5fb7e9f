// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The motion sensors of a played trace, and which of them somebody listens to.
///
/// The player looks at that for each reading of the trace, which is why it does not ask the hub each time.
final class MotionFeed: Sendable {
    let hub: MotionHub
    private let change: Change
    /// The sensors, each where the trace's events point to.
    let sensors: [SensorDescription]
    /// Those of them that the device has.
    private let isPlayed: [Bool]

    /// Whether somebody has come or gone since the player looked.
    private final class Change: Sendable {
        let hasHappened = Atomic<Bool>(true)
    }

    /// - Parameters:
    ///   - sensors: All sensors of the trace.
    ///   - isPlayed: For each whether the device has it; no two of those may have one id.
    init(sensors: [SensorDescription], isPlayed: [Bool], contexts: [String]) {
        let change = Change()
        self.change = change
        self.sensors = sensors
        self.isPlayed = isPlayed
        hub = MotionHub(sensors: zip(sensors, isPlayed).filter(\.1).map(\.0), contextDescriptions: contexts) {
            change.hasHappened.store(true, ordering: .releasing)
        }
    }

    /// The sensor's id; nil for an index that no played sensor has.
    func id(_ index: Int) -> SensorDescription.ID? {
        isPlayed.indices.contains(index) && isPlayed[index] ? sensors[index].id : nil
    }

    /// Brings a list of what is wanted of each sensor up to date.
    @inline(__always)
    func update(_ wanted: inout [Bool]) {
        guard change.hasHappened.load(ordering: .acquiring) else { return }
        change.hasHappened.store(false, ordering: .releasing)
        wanted = sensors.indices.map { isPlayed[$0] && hub.demand(of: sensors[$0].id) != nil }
    }
}
