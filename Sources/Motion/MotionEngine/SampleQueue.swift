// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A queue of the samples of one sensor, oldest first. Its memory is reused.
struct SampleQueue: Sendable {
    struct Item: Sendable {
        var value: SIMD3<Double>
        var stamp: SampleStamp
        var arrival: BootTime
    }

    private var items: [Item] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { items.count == head }
    /// The timestamp of the oldest sample.
    var firstStamp: SampleStamp? { isEmpty ? nil : items[head].stamp }
    /// The arrival time of the oldest sample.
    var firstArrival: BootTime? { isEmpty ? nil : items[head].arrival }

    mutating func append(_ item: Item) { items.append(item) }

    /// Returns true if the newest sample arrived after `arrival`, or has another epoch because the clock was set back.
    func hasSample(after arrival: BootTime, _ epoch: Int32) -> Bool {
        guard !isEmpty else { return false }
        let last = items.count - 1
        return items[last].arrival > arrival || items[last].stamp.epoch != epoch
    }

    /// Removes and returns the oldest sample.
    mutating func takeFirst() -> Item? {
        guard !isEmpty else { return nil }
        let item = items[head]
        removeFirst()
        return item
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
        // The memory is compacted only rarely, because that costs more than all other operations.
        guard head >= 64 else { return }
        if head == items.count {
            removeAll()
        } else if head >= 512 {
            items.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        head = 0
    }

    /// Replaces the timestamps of all queued samples.
    mutating func restamp(_ stamp: SampleStamp) { for index in head..<items.count { items[index].stamp = stamp } }
}

/// The time of a measurement, by a clock that may have been set back.
struct SampleStamp: Sendable, Hashable, Comparable {
    /// The number of times that the clock has been set back.
    var epoch: Int32
    /// The time of the clock.
    var time: BootTime

    static func < (left: SampleStamp, right: SampleStamp) -> Bool {
        left.epoch == right.epoch ? left.time < right.time : left.epoch < right.epoch
    }
}
