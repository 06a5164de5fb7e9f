// SPDX-License-Identifier: Apache-2.0

/// A priority queue ordered by time. Elements with the same time are removed in insertion order. Insertion and removal
/// take O(log n) time.
package struct TimeHeap<Element> {
    fileprivate struct Entry {
        var time: Int64
        var number: UInt64
        var element: Element

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    /// A binary heap: no entry is later than its children at indices 2i + 1 and 2i + 2.
    private var heap: [Entry] = []
    private var number: UInt64 = 0

    package init() {}

    package var count: Int { heap.count }
    package var earliest: Int64? { heap.first?.time }

    package mutating func insert(_ element: Element, at time: Int64) {
        heap.append(Entry(time: time, number: number, element: element))
        number &+= 1
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    package mutating func removeEarliest() -> (element: Element, time: Int64)? {
        guard let first = heap.first, let end = heap.popLast() else { return nil }
        if !heap.isEmpty { siftDown(end) }
        return (first.element, first.time)
    }

    private mutating func siftDown(_ entry: Entry) {
        heap[0] = entry
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(heap[index]) else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}

extension TimeHeap: Sendable where Element: Sendable {}

extension TimeHeap.Entry: Sendable where Element: Sendable {}
