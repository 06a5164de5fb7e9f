// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue. Removing elements from the front takes amortized constant time.
package struct FIFOQueue<Element: Sendable>: Sendable {
    private var storage: [Element] = []
    private var start = 0

    package init() {}

    package var count: Int { storage.count - start }

    /// The queued elements, oldest first.
    package var elements: ArraySlice<Element> { storage[start...] }

    package var first: Element? {
        get { start < storage.count ? storage[start] : nil }
        set { if let newValue, start < storage.count { storage[start] = newValue } }
    }

    package mutating func append(_ element: Element) { storage.append(element) }
    package mutating func append(contentsOf more: [Element]) { storage += more }

    package mutating func removeFirst(_ count: Int = 1) {
        start = min(start + count, storage.count)
        guard start > 64, start > storage.count / 2 else { return }
        storage.removeFirst(start)
        start = 0
    }

    package mutating func removeAll() {
        storage = []
        start = 0
    }
}
