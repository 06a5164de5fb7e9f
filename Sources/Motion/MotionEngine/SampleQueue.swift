// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Samples of one sensor that wait, oldest first. Its memory is used again and again.
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
    /// When the oldest was measured.
    var firstStamp: SampleStamp? { isEmpty ? nil : items[head].stamp }
    /// When the oldest came in.
    var firstArrival: BootTime? { isEmpty ? nil : items[head].arrival }

    mutating func append(_ item: Item) { items.append(item) }

    /// True when the newest came in after that, or was stamped by a clock that has been set back.
    func hasLater(than arrival: BootTime, _ epoch: Int32) -> Bool {
        guard !isEmpty else { return false }
        let last = items.count - 1
        return items[last].arrival > arrival || items[last].stamp.epoch != epoch
    }

    /// Takes the oldest out.
    mutating func takeFirst() -> Item? {
        guard !isEmpty else { return nil }
        let item = items[head]
        removeFirst()
        return item
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
        // Seldom, as it costs more than all the rest.
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

    /// Gives all that wait another time.
    mutating func restamp(_ stamp: SampleStamp) { for index in head..<items.count { items[index].stamp = stamp } }
}

/// When a sample was measured: by a clock that may have been set back some times.
struct SampleStamp: Sendable, Hashable, Comparable {
    /// How often the clock has been set back.
    var epoch: Int32
    /// What the clock said.
    var time: BootTime

    static func < (left: SampleStamp, right: SampleStamp) -> Bool {
        left.epoch == right.epoch ? left.time < right.time : left.epoch < right.epoch
    }
}
