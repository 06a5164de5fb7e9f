// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Spreads consecutive items that have the same time evenly over the interval that follows. Times are in nanoseconds.
///
/// A logger with one-second resolution gives several points the same time. If `n` points have the time `t`, point `i`
/// is placed at `t + i · min(1 s, next − t) / n`, where `next` is the next time in the file. Items without a time are
/// spaced equally between the neighbouring items that have one. After the last time, they are placed one second apart.
struct EqualTimeSpreader<Item> {
    /// The longest interval over which items with the same time are spread, in nanoseconds (1 s).
    private static var maximumInterval: Int64 { 1_000_000_000 }
    /// The maximum total size of the buffered items. A larger group of items with the same time is yielded in several
    /// batches.
    static var maximumItems: Int { 16_384 }
    private var items: [Item] = []
    private var size = 0
    /// The time of the buffered items according to the file, or nil if no item with a time has been appended yet.
    private var time: Int64?
    /// The part of the interval, in nanoseconds, that is already occupied by earlier batches of items with the same
    /// time.
    private var used: Int64 = 0
    /// The number of buffered items up to and including the last one with a time.
    private var timedCount = 0

    /// Appends an item. If the item has a new time or the buffer is full, the buffered items are yielded first.
    ///
    /// - Parameters:
    ///   - time: The time of the item, or nil if the file does not state one.
    ///   - size: The size of the item, at least 1. It counts towards ``maximumItems``.
    ///   - isContinuous: True if the item continues the path of the previous items.
    mutating func append<E: Error>(
        _ item: Item, at time: Int64?, size: Int = 1, isContinuous: Bool = true, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        if let time, let current = self.time, time != current {
            let gap = time > current ? time.subtractingSaturated(current) : nil
            try flush(gap: gap, isContinuous: isContinuous, yield: yield)
        } else if !items.isEmpty, self.size + size > Self.maximumItems {
            let interval = (Self.maximumInterval - used) / 2
            try yieldItems(over: interval, maximumStep: interval / Int64(items.count), gap: interval, yield: yield)
            used += interval
        }
        items.append(item)
        self.size += size
        if let time { (self.time, timedCount) = (time, items.count) }
    }

    mutating func finish<E: Error>(yield: (Item, Int64) throws(E) -> Void) throws(E) {
        try flush(gap: nil, isContinuous: false, yield: yield)
    }

    /// Yields all buffered items. `gap` is the interval to the next item, or nil if there is no next item or it has an
    /// earlier time.
    private mutating func flush<E: Error>(
        gap: Int64?, isContinuous: Bool, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        let gap = gap.map { max(0, $0 - used) }
        let interval = min(Self.maximumInterval - used, gap ?? .max)
        let longestStep = gap == nil || !isContinuous ? Self.maximumInterval : .max
        try yieldItems(over: interval, maximumStep: longestStep, gap: gap ?? .max, yield: yield)
        used = 0
    }

    /// Yields the buffered items. The last item with a time, and all items before it, are spread over `interval`. The
    /// items after it, which have no time, are placed within `gap`, at most `maximumStep` apart.
    private mutating func yieldItems<E: Error>(
        over interval: Int64, maximumStep: Int64, gap: Int64, yield: (Item, Int64) throws(E) -> Void
    ) throws(E) {
        defer {
            items.removeAll(keepingCapacity: true)
            (timedCount, size) = (0, 0)
        }
        let start = (time ?? 0).addingSaturated(used)
        func share(_ index: Int) -> Int64 {
            timedCount < 2 && used == 0
                ? 0 : Int64((Double(interval) / Double(items.count) * Double(index)).rounded(.down))
        }
        let last = share(max(0, timedCount - 1))
        let step = min(maximumStep, (gap - last) / Int64(items.count - timedCount + 1))
        for (index, item) in items.enumerated() {
            let behind = Int64(index - timedCount + 1)
            try yield(item, start.addingSaturated(behind > 0 ? last + step * behind : share(index)))
        }
    }
}
