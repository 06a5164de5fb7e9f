// This source file is part of the swift-device-services project.
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
    var first: Item? { isEmpty ? nil : items[head] }
    var last: Item? { isEmpty ? nil : items.last }

    mutating func append(_ item: Item) {
        items.append(item)
    }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        head += 1
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
    mutating func restamp(_ stamp: SampleStamp) {
        for index in head..<items.count { items[index].stamp = stamp }
    }
}
