// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The motion sensors of a played trace, and which of them somebody listens to.
///
/// The player looks at that for each reading of the trace, which is why it does not ask the hub each time.
final class MotionFeed: Sendable {
    let hub: MotionHub
    private let change: Change
    private let ids: [SensorDescription.ID]

    /// Whether somebody has come or gone since the player looked.
    private final class Change: Sendable {
        let hasHappened = Atomic<Bool>(true)
    }

    init(sensors: [SensorDescription], contexts: [String]) {
        let change = Change()
        self.change = change
        ids = sensors.map(\.id)
        hub = MotionHub(sensors: sensors, contextDescriptions: contexts) {
            change.hasHappened.store(true, ordering: .releasing)
        }
    }

    /// How many sensors there are.
    var count: Int { ids.count }

    /// The sensor's id; nil for an index that no sensor has.
    func id(_ index: Int) -> SensorDescription.ID? { ids.indices.contains(index) ? ids[index] : nil }

    /// Brings a list of what is wanted of each sensor up to date.
    @inline(__always)
    func update(_ wanted: inout [Bool]) {
        guard change.hasHappened.load(ordering: .acquiring) else { return }
        change.hasHappened.store(false, ordering: .releasing)
        wanted = ids.map { hub.demand(of: $0) != nil }
    }
}
