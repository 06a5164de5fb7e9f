// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Collects the sensors of all contexts and publishes them to the hub.
final class SensorCatalog: Sendable {
    private struct Entry: Equatable {
        var sensors: [SensorDescription] = []
        var xml = ""
    }

    private struct State {
        var entries: [Entry]
        var version = 0
        var isPublishing = false
    }

    private let state: Mutex<State>

    init(contexts: Int) { state = Mutex(State(entries: [Entry](repeating: Entry(), count: contexts))) }

    func update(_ context: Int, sensors: [SensorDescription], xml: String, hub: MotionHub) {
        let entry = Entry(sensors: sensors, xml: xml)
        var next = state.withLock { state -> (entries: [Entry], version: Int)? in
            guard state.entries.indices.contains(context), state.entries[context] != entry else { return nil }
            state.entries[context] = entry
            state.version += 1
            // Only one thread publishes at a time. It releases the lock to publish, and repeats until the latest
            // version is published.
            guard !state.isPublishing else { return nil }
            state.isPublishing = true
            return (state.entries, state.version)
        }
        while let current = next {
            hub.post(
                sensors: SensorRanking.sorted(current.entries.flatMap(\.sensors)),
                contextDescriptions: current.entries.map(\.xml).filter { !$0.isEmpty })
            next = state.withLock { state in
                if state.version != current.version { return (state.entries, state.version) }
                state.isPublishing = false
                return nil
            }
        }
    }
}

enum SensorRanking {
    /// Sorts the sensors, best first. Sensors with equal rank keep their order.
    static func sorted(_ sensors: [SensorDescription]) -> [SensorDescription] {
        sensors.enumerated().sorted { left, right in
            let (a, b) = (rank(left.element), rank(right.element))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }

    /// A lower rank is better. An accelerometer in a convertible laptop's keyboard has a high rank, because it does not
    /// measure the screen's orientation.
    private static func rank(_ sensor: SensorDescription) -> Int {
        let isBase = sensor.location == "base" || sensor.label == "accel-base"
        let locationRank = isBase ? 2 : sensor.location == "lid" ? 1 : 0
        return locationRank * 2 + (sensor.mode == .polled ? 1 : 0)
    }
}
