// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Spreads successive items of one time over the interval that follows it, in their order.
///
/// A logger that writes whole seconds gives several points one time. `n` points of a time `t` are placed at
/// `t + i · min(1 s, next − t) / n`, where `next` is the next time in the file. An item without a time belongs to the run
/// of the item before it, and such a run is spread over the whole interval to the next time. Times are nanoseconds.
struct EqualTimeSpreader<Item> {
    /// The longest interval that items of one time are spread over, in nanoseconds: the resolution of whole seconds.
    private static var longestInterval: Int64 { 1_000_000_000 }
    /// The maximum number of items of one time that are held back. A longer run is spread in parts, over half of what is
    /// left of its second each.
    static var maximumItems: Int { 16_384 }

    /// The number of items whose time was changed.
    private(set) var spreadCount = 0
    private var items: [Item] = []
    /// The time in the file of the items that are held back; nil before the first item with a time.
    private var time: Int64?
    /// The part of the interval that earlier parts of the same run have used.
    private var used: Int64 = 0
    /// True when an item of the run has no time.
    private var hasUntimed = false

    /// Adds an item, and yields the items that it completes, each with its time.
    ///
    /// - Parameters:
    ///   - time: The time of the item; nil when the file has none. A time before that of the item before ends a run as a
    ///     later one does.
    ///   - isContinuous: False when the item does not continue the path of the items before.
    mutating func append<E: Error>(
        _ item: Item, at time: Int64?, isContinuous: Bool = true, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        if let time, let current = self.time, time != current {
            let gap = time > current ? time.subtractingSaturated(current) : nil
            try flush(gap: gap, isContinuous: isContinuous, yield: yield)
        } else if items.count == Self.maximumItems {
            let interval = (Self.longestInterval - used) / 2
            try release(over: interval, yield: yield)
            used += interval
        }
        if let time { self.time = time } else { hasUntimed = true }
        items.append(item)
    }

    /// Yields the items that are still held back.
    mutating func finish<E: Error>(yield: (Item, Int64) throws(E) -> Void) throws(E) {
        try flush(gap: nil, isContinuous: false, yield: yield)
    }

    /// - Parameter gap: The time to the next item; nil when there is none or its time is earlier.
    private mutating func flush<E: Error>(
        gap: Int64?, isContinuous: Bool, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        // At most 16,384 items: no overflow.
        var longest = hasUntimed ? Int64(max(1, items.count)) * Self.longestInterval : Self.longestInterval
        if hasUntimed, isContinuous, used == 0 { longest = .max }
        try release(over: max(0, min(longest, gap ?? longest) - used), yield: yield)
        (used, hasUntimed) = (0, false)
    }

    private mutating func release<E: Error>(over interval: Int64, yield: (Item, Int64) throws(E) -> Void) throws(E) {
        defer { items.removeAll(keepingCapacity: true) }
        let count = Int64(items.count)
        if count > 1 || used > 0 { spreadCount += items.count }
        for (index, item) in items.enumerated() {
            let share = Int64((Double(interval) / Double(count) * Double(index)).rounded(.down))
            try yield(item, (time ?? 0).addingSaturated(used).addingSaturated(share))
        }
    }
}
