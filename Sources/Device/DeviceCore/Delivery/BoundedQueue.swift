// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// A bounded queue that delivers its items in batches, oldest first. The delivery of a batch is called a drain.
///
/// The owner of the queue protects it with a lock. After appending an item, the owner calls `scheduleDrainIfNeeded()`.
/// If the result is true, the owner schedules a drain on the app's executor. A drain delivers the items that were
/// pending when it began. It delivers them one at a time, without holding the lock. Items appended during a drain wait
/// for the next one, so a long series of items cannot block the app's thread. There is at most one drain at a time.
///
/// ```swift
/// if state.withLock({ $0.queue.append(item, limit: 1024); return $0.queue.scheduleDrainIfNeeded() }) {
///     executor.schedule { self.deliver() }
/// }
/// ```
///
/// The type is inlinable because other modules would otherwise look up the item's type at run time for each item, and
/// playing a trace would take twice as long.
@usableFromInline package struct BoundedQueue<Item> {
    @usableFromInline package internal(set) var droppedCount = 0
    /// The items for the next drain, oldest first.
    @usableFromInline var items: [Item] = []
    /// The current drain's items, in reverse order so that removing the oldest item does not move the others.
    @usableFromInline var drainingItems: [Item] = []
    @usableFromInline var isDrainScheduled = false

    @inlinable package init() {}

    // MARK: Items

    @inlinable package var count: Int { drainingItems.count + items.count }
    @inlinable package var isEmpty: Bool { drainingItems.isEmpty && items.isEmpty }

    /// The number of items appended since the current drain began. If no drain is running, the number of pending items.
    @inlinable package var countSinceDrainBegan: Int { items.count }

    @inlinable package var first: Item? { drainingItems.last ?? items.first }
    @inlinable package var last: Item? { items.last ?? drainingItems.first }

    @inlinable package func contains(where isWanted: (Item) -> Bool) -> Bool {
        drainingItems.contains(where: isWanted) || items.contains(where: isWanted)
    }

    /// Appends an item. If the queue already contains `limit` items that satisfy `isOfKind`, drops the oldest of these
    /// to make room, and returns true.
    @discardableResult @inlinable
    package mutating func append(_ item: Item, limit: Int = .max, of isOfKind: (Item) -> Bool = { _ in true }) -> Bool {
        let limit = max(1, limit)
        let dropsOldest = count >= limit && drainingItems.count(where: isOfKind) + items.count(where: isOfKind) >= limit
        if dropsOldest {
            if let oldest = drainingItems.lastIndex(where: isOfKind) {
                drainingItems.remove(at: oldest)
            } else if let oldest = items.firstIndex(where: isOfKind) {
                items.remove(at: oldest)
            }
            droppedCount &+= 1
        }
        items.append(item)
        return dropsOldest
    }

    @inlinable package mutating func popFirst() -> Item? {
        if let item = drainingItems.popLast() { return item }
        return items.isEmpty ? nil : items.removeFirst()
    }

    /// Removes matching items without counting them in `droppedCount`.
    @inlinable package mutating func removeAll(where isUnwanted: (Item) -> Bool) {
        // Calls the closure for each item, oldest first, because the closure may depend on this order.
        drainingItems = drainingItems.reversed().filter { !isUnwanted($0) }.reversed()
        items.removeAll(where: isUnwanted)
    }

    /// Removes all items without counting them in `droppedCount`. The current drain then delivers nothing more.
    @inlinable package mutating func removeAll() { (drainingItems, items) = ([], []) }

    // MARK: Drains

    /// Returns true if items are pending and no drain is scheduled or running. The caller must then schedule a drain.
    @inlinable package mutating func scheduleDrainIfNeeded() -> Bool {
        guard !isDrainScheduled, !isEmpty else { return false }
        isDrainScheduled = true
        return true
    }

    @inlinable package mutating func beginDrain() {
        requeueUndrainedItems()
        // Swaps the arrays, so that both keep their allocated memory.
        swap(&drainingItems, &items)
        drainingItems.reverse()
    }

    /// Moves the current drain's undelivered items to the front of the queue.
    @inlinable mutating func requeueUndrainedItems() {
        guard !drainingItems.isEmpty else { return }
        items.insert(contentsOf: drainingItems.reversed(), at: 0)
        drainingItems = []
    }

    /// True while undelivered items of the current drain remain in the queue. Each item is removed before it is
    /// delivered.
    @inlinable package var isDraining: Bool { !drainingItems.isEmpty }

    /// Ends the drain. Returns true if items are pending. The caller must then schedule the next drain.
    @inlinable package mutating func finishDrain() -> Bool {
        requeueUndrainedItems()
        isDrainScheduled = !isEmpty
        return isDrainScheduled
    }

    /// Removes all items and resets the drain state. A drain that is already scheduled delivers nothing.
    @inlinable package mutating func reset() {
        removeAll()
        isDrainScheduled = false
    }
}

extension BoundedQueue: Sendable where Item: Sendable {}

extension Mutex {
    /// Drains a queue on the current thread, one item at a time, without holding the lock. Does nothing if another
    /// thread or an outer call is already draining the queue, because that drain delivers all items. Pass true for
    /// `isScheduled` if `scheduleDrainIfNeeded()` has already returned true to the caller.
    package borrowing func drain<Item: Sendable>(
        _ queue: any WritableKeyPath<Value, BoundedQueue<Item>> & Sendable, isScheduled: Bool = false,
        _ handle: (Item) -> Void
    ) {
        guard isScheduled || withLock({ $0[keyPath: queue].scheduleDrainIfNeeded() }) else { return }
        repeat {
            withLock { $0[keyPath: queue].beginDrain() }
            while let item = withLock({ $0[keyPath: queue].isDraining ? $0[keyPath: queue].popFirst() : nil }) {
                handle(item)
            }
        } while withLock { $0[keyPath: queue].finishDrain() }
    }
}
