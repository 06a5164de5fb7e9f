// SPDX-License-Identifier: Apache-2.0

import Trace

/// Sorts events that are nearly in order, by buffering recent events and returning the earliest one first.
struct EventSorter {
    struct Item {
        var event: TraceEvent
        /// True for a position from a LocationFix message, whose speed or course may be derived if missing.
        var isPosition = false
    }

    static let capacity = 1 << 15
    /// The maximum total size of the buffered events in bytes (8 MiB).
    static let maximumSize = 8 << 20
    private var heap = TimeHeap<Item>()
    private var last = Int64.min
    private(set) var size = 0
    /// The number of events that were inserted too late, after an event with a later time had been returned.
    private(set) var lateCount = 0

    /// Inserts an event. If an event with a later time has already been returned, the new event's time is raised to
    /// that time.
    mutating func insert(_ item: Item, at time: Int64) {
        if time < last { lateCount += 1 }
        heap.insert(item, at: max(time, last))
        size += item.event.size
    }

    mutating func nextIfFull() -> (item: Item, time: Int64)? {
        heap.count > Self.capacity || size > Self.maximumSize ? next() : nil
    }

    mutating func next() -> (item: Item, time: Int64)? {
        guard let (item, time) = heap.removeEarliest() else { return nil }
        last = time
        size -= item.event.size
        return (item, time)
    }
}
