// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What waits to be told to somebody, oldest first and bounded, and whose turn it is to tell it.
///
/// It is a part of a client's state and stands under the client's lock. Whoever adds an item asks `claimTurn()`, and
/// when that is true schedules a turn where the program wants it. The turn hands over what waited when it began, item
/// by item and without the lock. What comes in meanwhile waits for the next turn, so that a flood does not keep the
/// program's thread from its other work. There is one turn at a time.
///
/// ```swift
/// if state.withLock({ $0.outbox.append(item, limit: 1024); return $0.outbox.claimTurn() }) {
///     delivery.schedule { self.deliver() }
/// }
/// ```
package struct Outbox<Item> {
    /// How many items wait.
    package private(set) var count = 0
    /// How many had to make way for newer ones.
    package private(set) var dropped = 0
    /// A ring that grows up to what has waited at most.
    private var ring: [Item?] = []
    private var head = 0
    /// How many of the first items belong to the turn that goes on.
    private var left = 0
    private var isTurnClaimed = false

    /// An empty one.
    package init() {}

    // MARK: What waits

    /// True when nothing waits.
    package var isEmpty: Bool { count == 0 }

    /// How many items have come in since the turn began that goes on; all when none does.
    package var countAfterTurn: Int { count - left }

    /// The item that is the next to be taken.
    package var first: Item? { count > 0 ? ring[head] : nil }

    /// The item that came in last.
    package var last: Item? { count > 0 ? ring[place(count - 1)] : nil }

    /// True when an item like that waits.
    package func contains(where isWanted: (Item) -> Bool) -> Bool { firstPosition(where: isWanted) != nil }

    /// Adds an item. When `limit` of its kind wait already the oldest of them makes way, which is counted.
    ///
    /// - Parameter isOfKind: Which items count together; nil for all.
    /// - Returns: True when one had to make way.
    @discardableResult
    package mutating func append(_ item: Item, limit: Int = .max, of isOfKind: ((Item) -> Bool)? = nil) -> Bool {
        var makesWay = count >= max(1, limit)
        if makesWay, let isOfKind {
            var kindred = 0
            for position in 0..<count where ring[place(position)].map(isOfKind) ?? false { kindred += 1 }
            makesWay = kindred >= max(1, limit)
        }
        if makesWay, let oldest = isOfKind.map({ firstPosition(where: $0) }) ?? 0 {
            remove(at: oldest)
            dropped &+= 1
        }
        if count == ring.count { grow() }
        ring[place(count)] = item
        count += 1
        return makesWay
    }

    /// Takes the oldest item out.
    package mutating func takeFirst() -> Item? {
        guard count > 0 else { return nil }
        let item = ring[head].take()
        head = head + 1 == ring.count ? 0 : head + 1
        count -= 1
        if left > 0 { left -= 1 }
        return item
    }

    /// Forgets the items that are like that. They do not count as dropped.
    package mutating func removeAll(where isUnwanted: (Item) -> Bool) {
        var (kept, keptOfTurn) = (0, 0)
        for position in 0..<count {
            guard let item = ring[place(position)].take(), !isUnwanted(item) else { continue }
            ring[place(kept)] = item
            kept += 1
            if position < left { keptOfTurn += 1 }
        }
        (count, left) = (kept, keptOfTurn)
    }

    /// Forgets all items; they do not count as dropped. A turn that is due or goes on finds nothing more to tell.
    package mutating func removeAll() { while takeFirst() != nil {} }

    // MARK: Turns

    /// True when something waits and no turn is due or goes on: the caller has to schedule one now.
    package mutating func claimTurn() -> Bool {
        guard !isTurnClaimed, count > 0 else { return false }
        isTurnClaimed = true
        return true
    }

    /// A turn begins, which is for what waits now.
    package mutating func beginTurn() { left = count }

    /// True while the turn has something to hand over.
    package var isInTurn: Bool { left > 0 }

    /// The turn is over. True when something has come in meanwhile: the caller has to schedule the next one now.
    package mutating func endTurn() -> Bool {
        left = 0
        isTurnClaimed = count > 0
        return isTurnClaimed
    }

    /// Forgets all items and the turn: whoever it was scheduled for is not told any more.
    package mutating func startAnew() {
        removeAll()
        isTurnClaimed = false
    }

    // MARK: The ring

    private func place(_ position: Int) -> Int {
        let place = head + position
        return place >= ring.count ? place - ring.count : place
    }

    private func firstPosition(where isWanted: (Item) -> Bool) -> Int? {
        (0..<count).first { ring[place($0)].map(isWanted) ?? false }
    }

    private mutating func remove(at position: Int) {
        // Those before it move up, which are few: most often it is the first.
        for later in stride(from: position, to: 0, by: -1) { ring.swapAt(place(later), place(later - 1)) }
        let isOfTurn = position < left
        let formerLeft = left
        _ = takeFirst()
        left = isOfTurn ? formerLeft - 1 : formerLeft
    }

    private mutating func grow() {
        var larger: [Item?] = []
        larger.reserveCapacity(max(16, ring.count * 2))
        for position in 0..<count { larger.append(ring[place(position)].take()) }
        while larger.count < max(16, ring.count * 2) { larger.append(nil) }
        ring = larger
        head = 0
    }
}

extension Outbox: Sendable where Item: Sendable {}
