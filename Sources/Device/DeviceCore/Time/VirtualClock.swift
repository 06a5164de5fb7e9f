// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The clock of a simulated device. Time advances only when a method moves the clock. Timers run only in
/// `runNextTimer(upTo:)`, on the calling thread and in the order of their deadlines. Timers with equal deadlines run in
/// creation order. While a timer runs, the current time is the timer's deadline, or a later time if the clock had
/// already passed it. Any thread may move the clock.
public final class VirtualClock: DeviceClock {
    private struct Entry: @unchecked Sendable {
        let deadline: BootTime
        let number: UInt64
        weak var timer: ClockTimer?
    }

    private struct Timers {
        /// Sorted from the latest to the earliest deadline, so that the next timer is the last entry.
        var entries: [Entry] = []
        var nextNumber: UInt64 = 0

        /// Reads the deadline in place, because copying an entry also copies a weak reference, which is slow.
        var nextDeadline: BootTime? { entries.isEmpty ? nil : entries[entries.count - 1].deadline }
    }

    private let timers = Mutex(Timers())
    // The following values are in nanoseconds. They are atomic because they are accessed several times for each reading
    // of a trace, and a lock would be slower.
    private let currentTime: Atomic<Int64>
    /// The difference between civil time and time since boot.
    private let wallTimeOffset: Atomic<Int64>
    /// The deadline of the next timer, or `Int64.max` if there is no timer. Modified only while the lock is held.
    private let nextDue = Atomic<Int64>(.max)

    /// Creates a clock that is set to the given times.
    public init(now: BootTime = .zero, wallTime: WallTime = .epoch) {
        currentTime = Atomic(now.nanoseconds)
        wallTimeOffset = Atomic(wallTime.nanoseconds.subtractingSaturated(now.nanoseconds))
    }

    /// The current time since boot.
    public var now: BootTime { BootTime(nanoseconds: currentTime.load(ordering: .acquiring)) }

    /// The current civil time.
    public var wallTime: WallTime {
        WallTime(nanoseconds: now.nanoseconds.addingSaturated(wallTimeOffset.load(ordering: .acquiring)))
    }

    /// Runs the work when the clock reaches or passes the deadline.
    public func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer {
        let timer = ClockTimer(work)
        let number = withTimers { timers in
            let number = timers.nextNumber
            timers.nextNumber += 1
            let position = timers.entries.partitioningIndex { $0.deadline <= deadline }
            let entry = Entry(deadline: deadline, number: number, timer: timer)
            timers.entries.insert(entry, at: position)
            return number
        }
        // The closure has a strong reference to the clock, because a weak one would slow down every use of the clock.
        timer.onCancel { self.withTimers { timers in timers.entries.removeAll { $0.number == number } } }
        return timer
    }

    package var nextDeadline: BootTime? { timers.withLock { $0.nextDeadline } }

    /// Runs the next timer if its deadline is at or before the limit. Returns false if there is no such timer.
    @discardableResult package func runNextTimer(upTo limit: BootTime) -> Bool {
        let entry = withTimers { timers -> Entry? in
            guard let deadline = timers.nextDeadline, deadline <= limit else { return nil }
            move(to: deadline)
            return timers.entries.removeLast()
        }
        entry?.timer?.fire()
        return entry != nil
    }

    /// Advances the clock and returns true. If a timer is due by the given time, returns false without advancing the
    /// clock, because the timer must run first.
    package func moveUnlessTimerIsDue(by time: BootTime) -> Bool {
        // If there is no timer, `nextDue` is `Int64.max`, which is also a valid deadline. Only `nextDeadline` shows
        // whether there is a timer.
        if nextDue.load(ordering: .acquiring) <= time.nanoseconds, let deadline = nextDeadline, deadline <= time {
            return false
        }
        // If another thread adds a timer after the check, that timer runs late, because the lock is not held here.
        move(to: time)
        return true
    }

    /// Advances the clock without running timers. Has no effect if the time is earlier than the current time.
    public func move(to time: BootTime) { currentTime.max(time.nanoseconds, ordering: .acquiringAndReleasing) }

    /// Sets the civil time. The time since boot does not change.
    public func setWallTime(_ time: WallTime) {
        wallTimeOffset.store(time.nanoseconds.subtractingSaturated(now.nanoseconds), ordering: .releasing)
    }

    private func withTimers<Result: Sendable>(_ body: (inout Timers) -> Result) -> Result {
        timers.withLock { timers in
            defer { nextDue.store((timers.nextDeadline ?? .never).nanoseconds, ordering: .releasing) }
            return body(&timers)
        }
    }
}

extension Array {
    /// Returns the index of the first element that satisfies the predicate, or `endIndex` if there is none. Requires
    /// that all elements after the first match also satisfy the predicate.
    @inlinable package func partitioningIndex(where belongsToEnd: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsToEnd(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
