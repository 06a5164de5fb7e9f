// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Spreads successive items of one time over the interval that follows it, in their order.
///
/// A logger that writes whole seconds gives several points one time. `n` points of a time `t` are placed at
/// `t + i · min(1 s, next − t) / n`, where `next` is the next time in the file. Times are nanoseconds.
struct EqualTimeSpreader<Item> {
    /// The longest interval that items of one time are spread over, in nanoseconds: the resolution of whole seconds.
    private static var longestInterval: Int64 { 1_000_000_000 }
    /// The maximum number of items of one time that are held back. A longer run is spread in parts, over half of what is
    /// left of its interval each.
    static var maximumItems: Int { 16_384 }

    /// The number of items whose time was changed.
    private(set) var spreadCount = 0
    private var items: [Item] = []
    /// The time in the file of the items that are held back.
    private var time: Int64 = 0
    /// The part of the interval that earlier parts of the same run have used.
    private var used: Int64 = 0

    /// Adds an item, and yields the items that it completes, each with its time.
    ///
    /// - Parameter time: The time of the item. A time before that of the item before ends a run as a later one does.
    mutating func append<E: Error>(
        _ item: Item, at time: Int64, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        if !items.isEmpty || used > 0, time != self.time {
            try flush(before: time, yield: yield)
        } else if items.count == Self.maximumItems {
            let interval = (Self.longestInterval - used) / 2
            try release(over: interval, yield: yield)
            used += interval
        }
        self.time = time
        items.append(item)
    }

    /// Yields the items that are still held back.
    mutating func finish<E: Error>(yield: (Item, Int64) throws(E) -> Void) throws(E) {
        try flush(before: .max, yield: yield)
    }

    private mutating func flush<E: Error>(before next: Int64, yield: (Item, Int64) throws(E) -> Void) throws(E) {
        let gap = next > time ? next.subtractingSaturated(time) : Self.longestInterval
        try release(over: max(0, min(Self.longestInterval, gap) - used), yield: yield)
        used = 0
    }

    private mutating func release<E: Error>(over interval: Int64, yield: (Item, Int64) throws(E) -> Void) throws(E) {
        defer { items.removeAll(keepingCapacity: true) }
        let count = Int64(items.count)
        if count > 1 || used > 0 { spreadCount += items.count }
        for (index, item) in items.enumerated() {
            // The interval is at most 1e9 and the index at most 16,383: no overflow.
            try yield(item, time.addingSaturated(used + Int64(index) * interval / count))
        }
    }
}
