// SPDX-License-Identifier: Apache-2.0

/// Things that wait for their time, the earliest first; of those of one time the one that was put in first. Putting in
/// and taking out cost the logarithm of how many there are.
package struct TimeHeap<Element> {
    fileprivate struct Entry {
        var time: Int64
        var number: UInt64
        var element: Element

        func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
    }

    /// No entry is later than those at twice its place and one more, and two more.
    private var heap: [Entry] = []
    private var number: UInt64 = 0

    package init() {}

    /// How many there are.
    package var count: Int { heap.count }

    /// The earliest time; nil when there is nothing.
    package var earliest: Int64? { heap.first?.time }

    /// Puts something in.
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

    /// Takes the earliest out; nil when there is nothing.
    package mutating func removeEarliest() -> (element: Element, time: Int64)? {
        guard let first = heap.first, let end = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(end) }
        return (first.element, first.time)
    }

    /// Puts an entry in the place of the first.
    private mutating func sink(_ entry: Entry) {
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
