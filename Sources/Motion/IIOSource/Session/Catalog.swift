// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The sensors of all contexts together, as the hub shows them.
final class Catalog: Sendable {
    private struct Entry: Equatable {
        var sensors: [SensorDescription] = []
        var xml = ""
    }

    private struct State {
        var entries: [Entry]
        var version = 0
        var isPosting = false
    }

    private let state: Mutex<State>

    init(contexts: Int) { state = Mutex(State(entries: [Entry](repeating: Entry(), count: contexts))) }

    /// One context has these sensors now.
    func update(_ context: Int, sensors: [SensorDescription], xml: String, hub: MotionHub) {
        let entry = Entry(sensors: sensors, xml: xml)
        var next = state.withLock { state -> (entries: [Entry], version: Int)? in
            guard state.entries.indices.contains(context), state.entries[context] != entry else { return nil }
            state.entries[context] = entry
            state.version += 1
            // One thread at a time tells the hub, without a lock, and goes on until all is told.
            guard !state.isPosting else { return nil }
            state.isPosting = true
            return (state.entries, state.version)
        }
        while let current = next {
            hub.post(
                sensors: SensorOrder.sorted(current.entries.flatMap(\.sensors)),
                contextDescriptions: current.entries.map(\.xml).filter { !$0.isEmpty })
            next = state.withLock { state in
                if state.version != current.version { return (state.entries, state.version) }
                state.isPosting = false
                return nil
            }
        }
    }
}

/// Which of several sensors of one kind is the best.
enum SensorOrder {
    /// Sensors of all contexts, the best first within each kind; those that are alike stay in order.
    static func sorted(_ sensors: [SensorDescription]) -> [SensorDescription] {
        sensors.enumerated().sorted { left, right in
            let (a, b) = (rank(left.element), rank(right.element))
            return a == b ? left.offset < right.offset : a < b
        }.map(\.element)
    }

    /// Less is better. Convertibles have an accelerometer in the keyboard's half too, which says nothing of the screen.
    private static func rank(_ sensor: SensorDescription) -> Int {
        let isBase = sensor.location == "base" || sensor.label == "accel-base"
        let place = isBase ? 2 : sensor.location == "lid" ? 1 : 0
        return place * 2 + (sensor.mode == .polled ? 1 : 0)
    }
}
