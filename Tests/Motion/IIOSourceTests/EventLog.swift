// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A log of the events of a subscription, with bounded waits for events.
final class EventLog: Sendable {
    private let journal = Journal()

    func record(_ event: MotionEvent) {
        switch event {
        case .samples(let batch):
            for index in 0..<batch.count {
                let value = batch.values[index]
                journal.record("sample \(value.x) \(value.y) \(value.z) @\(batch.times[index].nanoseconds)")
            }
        case .lost(let error): journal.record("lost \(error.code) \(error.message)")
        case .regained: journal.record("regained")
        }
    }

    var all: [String] { journal.all }

    func count(_ prefix: String) -> Int { journal.count(prefix) }

    func waits(for line: String, count: Int = 1, nudge: () -> Void = {}) -> Bool {
        journal.waits(for: line, count: count, nudge: nudge)
    }
}
