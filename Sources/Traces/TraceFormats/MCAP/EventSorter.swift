// SPDX-License-Identifier: Apache-2.0

import Trace

/// Puts events in order that are almost so: of the last ones it always gives the earliest.
struct EventSorter {
    /// What waits.
    struct Item {
        var event: TraceEvent
        /// True for a position whose speed and course may be worked out.
        var isPlace = false
    }

    /// So many events are kept.
    static let capacity = 1 << 15
    /// So many bytes may they have.
    static let maximumSize = 8 << 20

    private var heap = TimeHeap<Item>()
    private var last = Int64.min
    /// How many bytes wait.
    private(set) var size = 0
    /// Events that came after a later one had been given away.
    private(set) var lateCount = 0

    /// Takes an event.
    mutating func insert(_ item: Item, at time: Int64) {
        if time < last { lateCount += 1 }
        heap.insert(item, at: max(time, last))
        size += item.event.size
    }

    /// Gives the earliest while there are many; nil otherwise.
    mutating func nextIfFull() -> (item: Item, time: Int64)? {
        heap.count > Self.capacity || size > Self.maximumSize ? next() : nil
    }

    /// Gives the earliest; nil when none is left.
    mutating func next() -> (item: Item, time: Int64)? {
        guard let (item, time) = heap.removeEarliest() else { return nil }
        last = time
        size -= item.event.size
        return (item, time)
    }
}
