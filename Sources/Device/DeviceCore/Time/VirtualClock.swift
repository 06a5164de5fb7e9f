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

    private struct Timers {
        /// Latest first, so that the next to run is the last.
        var entries: [Entry] = []
        var nextNumber: UInt64 = 0

        /// Looked at where it lies: a copy of an entry is one more weak reference, which is slow.
        var nextDeadline: BootTime? { entries.isEmpty ? nil : entries[entries.count - 1].deadline }
    }

    private let timers = Mutex(Timers())
    // Looked at several times for each reading of a trace, so kept where no lock is needed: all in nanoseconds.
    private let present: Atomic<Int64>
    /// Civil time less time since boot.
    private let difference: Atomic<Int64>
    /// When the next timer is due, or the greatest number; changes under the lock.
    private let due = Atomic<Int64>(.max)

    /// A clock that stands at those times.
    public init(now: BootTime = .zero, wallTime: WallTime = .epoch) {
        present = Atomic(now.nanoseconds)
        difference = Atomic(wallTime.nanoseconds.subtractingSaturated(now.nanoseconds))
    }

    /// Where the clock stands.
    public var now: BootTime { BootTime(nanoseconds: present.load(ordering: .acquiring)) }

    /// The civil time that belongs to it.
    public var wallTime: WallTime {
        WallTime(nanoseconds: now.nanoseconds.addingSaturated(difference.load(ordering: .acquiring)))
    }

    /// Runs the work when the clock is moved to the deadline or past it.
    public func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        let timer = ClockTimer(work)
        let number = change { timers in
            let number = timers.nextNumber
            timers.nextNumber += 1
            let position = timers.entries.partitioningIndex { $0.deadline <= deadline }
            let entry = Entry(deadline: deadline, number: number, timer: timer)
            timers.entries.insert(entry, at: position)
            return number
        }
        // Strong: the clock does not hold the timer, and a weak reference would slow down every use of the clock.
        timer.whenCancelled {
            self.change { timers in timers.entries.removeAll { $0.number == number } }
        }
        return timer
    }

    /// When the next timer is due; nil when none is set.
    public var nextDeadline: BootTime? { timers.withLock { $0.nextDeadline } }

    /// Moves the clock to the next timer that is due by the limit and runs it; false when there is none.
    @discardableResult
    public func runNextTimer(upTo limit: BootTime) -> Bool {
        let entry = change { timers -> Entry? in
            guard let deadline = timers.nextDeadline, deadline <= limit else { return nil }
            move(to: deadline)
            return timers.entries.removeLast()
        }
        entry?.timer?.fire()
        return entry != nil
    }

    /// Moves the clock unless a timer is due by then, which has to run first; true when it was moved.
    public func moveUnlessTimerIsDue(by time: BootTime) -> Bool {
        // At the end of the range the number says as well that there is none.
        if due.load(ordering: .acquiring) <= time.nanoseconds, let deadline = nextDeadline, deadline <= time {
            return false
        }
        move(to: time)
        return true
    }

    /// Moves the clock without running timers; never back.
    public func move(to time: BootTime) { present.max(time.nanoseconds, ordering: .acquiringAndReleasing) }

    /// Sets the civil time without touching time since boot.
    public func setWallTime(_ time: WallTime) {
        difference.store(time.nanoseconds.subtractingSaturated(now.nanoseconds), ordering: .releasing)
    }

    private func change<Result: Sendable>(_ body: (inout Timers) -> Result) -> Result {
        timers.withLock { timers in
            defer { due.store((timers.nextDeadline ?? .never).nanoseconds, ordering: .releasing) }
            return body(&timers)
        }
    }
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
