// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// What waits to be told to somebody, oldest first and bounded, and whose turn it is to tell it.
///
/// It is a part of a client's state and stands under the client's lock. Whoever adds an item asks `claimTurn()`, and
/// when that is true schedules a turn where the program wants it. The turn hands over what waited when it began, item
/// by item and without the lock. What comes in meanwhile waits for the next turn, so that a flood does not keep the
/// program's thread from its other work. There is one turn at a time. A turn takes its items out one by one however many
/// there are; outside of turns, taking an item moves the others.
///
/// ```swift
/// if state.withLock({ $0.outbox.append(item, limit: 1024); return $0.outbox.claimTurn() }) {
///     delivery.schedule { self.deliver() }
/// }
/// ```
///
/// Inlinable, because the rooms that use it would otherwise ask for the item's type at run time, item by item: playback of
/// all readings then takes twice as long.
@usableFromInline package struct Outbox<Item> {
    /// How many had to make way for newer ones.
    @usableFromInline package internal(set) var dropped = 0
    /// What waits for the next turn, oldest first.
    @usableFromInline var items: [Item] = []
    /// What belongs to the turn that goes on, oldest last: from there it is taken without moving the others.
    @usableFromInline var turn: [Item] = []
    @usableFromInline var isTurnClaimed = false

    /// An empty one.
    @inlinable package init() {}

    // MARK: What waits

    /// How many items wait.
    @inlinable package var count: Int { turn.count + items.count }

    /// True when nothing waits.
    @inlinable package var isEmpty: Bool { turn.isEmpty && items.isEmpty }

    /// How many items have come in since the turn began that goes on; all when none does.
    @inlinable package var countAfterTurn: Int { items.count }

    /// The item that is the next to be taken.
    @inlinable package var first: Item? { turn.last ?? items.first }

    /// The item that came in last.
    @inlinable package var last: Item? { items.last ?? turn.first }

    /// True when an item like that waits.
    @inlinable package func contains(where isWanted: (Item) -> Bool) -> Bool {
        turn.contains(where: isWanted) || items.contains(where: isWanted)
    }

    /// Adds an item. When `limit` of its kind wait already the oldest of them makes way, which is counted.
    ///
    /// - Parameter isOfKind: Which items count together; all unless it says otherwise.
    /// - Returns: True when one had to make way.
    @discardableResult @inlinable
    package mutating func append(_ item: Item, limit: Int = .max, of isOfKind: (Item) -> Bool = { _ in true }) -> Bool {
        let limit = max(1, limit)
        let makesWay = count >= limit && turn.count(where: isOfKind) + items.count(where: isOfKind) >= limit
        if makesWay {
            if let oldest = turn.lastIndex(where: isOfKind) {
                turn.remove(at: oldest)
            } else if let oldest = items.firstIndex(where: isOfKind) {
                items.remove(at: oldest)
            }
            dropped &+= 1
        }
        items.append(item)
        return makesWay
    }

    /// Takes the oldest item out.
    @inlinable package mutating func takeFirst() -> Item? {
        if let item = turn.popLast() { return item }
        return items.isEmpty ? nil : items.removeFirst()
    }

    /// Forgets the items that are like that. They do not count as dropped.
    @inlinable package mutating func removeAll(where isUnwanted: (Item) -> Bool) {
        // Oldest first: who asks may count.
        turn = turn.reversed().filter { !isUnwanted($0) }.reversed()
        items.removeAll(where: isUnwanted)
    }

    /// Forgets all items; they do not count as dropped. A turn that is due or goes on finds nothing more to tell.
    @inlinable package mutating func removeAll() { (turn, items) = ([], []) }

    // MARK: Turns

    /// True when something waits and no turn is due or goes on: the caller has to schedule one now.
    @inlinable package mutating func claimTurn() -> Bool {
        guard !isTurnClaimed, !isEmpty else { return false }
        isTurnClaimed = true
        return true
    }

    /// A turn begins, which is for what waits now.
    @inlinable package mutating func beginTurn() {
        putBack()
        // Both keep their memory.
        swap(&turn, &items)
        turn.reverse()
    }

    /// What the turn has left over waits again, before the rest.
    @inlinable mutating func putBack() {
        guard !turn.isEmpty else { return }
        items.insert(contentsOf: turn.reversed(), at: 0)
        turn = []
    }

    /// True while the turn has something to hand over.
    @inlinable package var isInTurn: Bool { !turn.isEmpty }

    /// The turn is over. True when something has come in meanwhile: the caller has to schedule the next one now.
    @inlinable package mutating func endTurn() -> Bool {
        putBack()
        isTurnClaimed = !isEmpty
        return isTurnClaimed
    }

    /// Forgets all items and the turn: whoever it was scheduled for is not told any more.
    @inlinable package mutating func startAnew() {
        removeAll()
        isTurnClaimed = false
    }
}

extension Outbox: Sendable where Item: Sendable {}

extension Mutex {
    /// Hands on what waits in an outbox whose turns nobody schedules, item by item and without the lock, unless another
    /// thread, or a caller further up, is doing so: that one then hands on all.
    ///
    /// - Parameter isClaimed: True for whoever has claimed the turn already.
    package borrowing func handOn<Item: Sendable>(
        _ outbox: any WritableKeyPath<Value, Outbox<Item>> & Sendable, isClaimed: Bool = false, _ handle: (Item) -> Void
    ) {
        guard isClaimed || withLock({ $0[keyPath: outbox].claimTurn() }) else { return }
        repeat {
            withLock { $0[keyPath: outbox].beginTurn() }
            while let item = withLock({ $0[keyPath: outbox].isInTurn ? $0[keyPath: outbox].takeFirst() : nil }) {
                handle(item)
            }
        } while withLock { $0[keyPath: outbox].endTurn() }
    }
}
