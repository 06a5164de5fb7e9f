// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue that removes its first elements in amortized constant time.
package struct Backlog<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var start = 0

    package init() {}

    package var count: Int { elements.count - start }

    /// The queued elements, oldest first.
    package var all: ArraySlice<Element> { elements[start...] }

    package var first: Element? {
        get { start < elements.count ? elements[start] : nil }
        set {
            if let newValue, start < elements.count { elements[start] = newValue }
        }
    }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func append(contentsOf more: [Element]) { elements += more }

    package mutating func removeFirst(_ count: Int = 1) {
        start = min(start + count, elements.count)
        guard start > 64, start > elements.count / 2 else { return }
        elements.removeFirst(start)
        start = 0
    }

    package mutating func removeAll() {
        elements = []
        start = 0
    }
}
