// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Time that stands still until somebody moves it: the clock of a simulated device.
///
/// Timers run on the thread that moves the clock, in the order of their deadlines, and in the order in which they were
/// made where deadlines are equal; each sees the clock at its own deadline.
public final class VirtualClock: DeviceClock {
    private struct Entry: @unchecked Sendable {
        let deadline: BootTime
        let number: UInt64
        weak var timer: ClockTimer?
    }

    private struct State {
        var now: BootTime
        var wall: WallTime
        var entries: [Entry] = []
        var nextNumber: UInt64 = 0

        /// Looked at where it lies: a copy of an entry is one more weak reference, which is slow.
        var nextDeadline: BootTime? { entries.isEmpty ? nil : entries[entries.count - 1].deadline }

        mutating func move(to time: BootTime) {
            guard time > now else { return }
            wall.nanoseconds = wall.nanoseconds.addingSaturated(time.nanoseconds.subtractingSaturated(now.nanoseconds))
            now = time
        }
    }

    private let state: Mutex<State>

    /// A clock that stands at those times.
    public init(now: BootTime = .zero, wallTime: WallTime = .epoch) {
        state = Mutex(State(now: now, wall: wallTime))
    }

    /// Where the clock stands.
    public var now: BootTime { state.withLock { $0.now } }

    /// The civil time that belongs to it.
    public var wallTime: WallTime { state.withLock { $0.wall } }

    /// Runs the work when the clock is moved to the deadline or past it.
    public func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        let timer = ClockTimer(work)
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            // Latest first, so that the next to run is the last element.
            let position = state.entries.partitioningIndex { $0.deadline <= deadline }
            let entry = Entry(deadline: deadline, number: number, timer: timer)
            state.entries.insert(entry, at: position)
            return number
        }
        // Strong: the clock does not hold the timer, and a weak reference would slow down every use of the clock.
        timer.whenCancelled {
            self.state.withLock { state in state.entries.removeAll { $0.number == number } }
        }
        return timer
    }

    /// When the next timer is due; nil when none is set.
    public var nextDeadline: BootTime? { state.withLock { $0.nextDeadline } }

    /// Moves the clock to the next timer that is due by the limit and runs it; false when there is none.
    @discardableResult
    public func runNextTimer(upTo limit: BootTime) -> Bool {
        let entry = state.withLock { state -> Entry? in
            guard let deadline = state.nextDeadline, deadline <= limit else { return nil }
            state.move(to: deadline)
            return state.entries.removeLast()
        }
        entry?.timer?.fire()
        return entry != nil
    }

    /// Moves the clock unless a timer is due by then, which has to run first; true when it was moved.
    public func moveUnlessTimerIsDue(by time: BootTime) -> Bool {
        state.withLock { state in
            if let deadline = state.nextDeadline, deadline <= time { return false }
            state.move(to: time)
            return true
        }
    }

    /// Moves the clock without running timers; never back.
    public func move(to time: BootTime) { state.withLock { $0.move(to: time) } }

    /// Sets the civil time without touching time since boot.
    public func setWallTime(_ time: WallTime) { state.withLock { $0.wall = time } }
}

extension Array {
    /// The first index whose element satisfies the condition, when all that do stand at the end.
    @inlinable package func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToEnd(self[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}
