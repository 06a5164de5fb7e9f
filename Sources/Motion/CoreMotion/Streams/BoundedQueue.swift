// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What waits to be taken, oldest first and bounded: when it is full, the oldest makes way and is counted.
struct BoundedQueue<Element> {
    /// The most that waits.
    let limit: Int
    private(set) var count = 0
    /// How many had to make way.
    private(set) var dropped = 0
    /// A ring that grows up to the limit.
    private var storage: [Element?] = []
    private var head = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var isEmpty: Bool { count == 0 }

    /// Adds an element; true when the oldest had to make way.
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        if count == storage.count, count < limit { grow() }
        let isFull = count == storage.count
        var index = head + count
        if index >= storage.count { index -= storage.count }
        storage[index] = element
        guard isFull else {
            count += 1
            return false
        }
        head = index + 1 == storage.count ? 0 : index + 1
        dropped &+= 1
        return true
    }

    /// Takes the oldest out.
    mutating func takeFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = storage[head].take()
        head = head + 1 == storage.count ? 0 : head + 1
        count -= 1
        return element
    }

    /// Forgets all that waits; keeps the count of what was dropped, and the memory.
    mutating func removeAll() {
        while takeFirst() != nil {}
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(min(limit, max(16, storage.count * 2)))
        let former = count
        while let element = takeFirst() { larger.append(element) }
        while larger.count < min(limit, max(16, former * 2)) { larger.append(nil) }
        storage = larger
        head = 0
        count = former
    }
}
