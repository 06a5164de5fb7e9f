// SPDX-License-Identifier: Apache-2.0

/// Determines when an executor's read is overdue, and sets the timer that wakes the source's thread at that time.
///
/// A long interval between reads increases the expected interval immediately. Short intervals decrease it only
/// gradually, because a source may deliver several readings in quick succession and then pause. To avoid a system call
/// for most readings, the timer is set again only if it would expire too late or too early. Too early means less than
/// half the tolerance after the next expected read.
struct ReadDeadlineMonitor: Sendable {
    /// A read is overdue after the expected interval times this factor, plus the tolerance.
    private static let margin = 1.5
    /// A single read reduces the expected interval to no less than this fraction of its value.
    private static let decay = 0.95

    private let tolerance: Double
    /// The maximum of `expectedInterval`. With this interval, a read is overdue after `limit` seconds.
    private let longestInterval: Double
    private var expectedInterval: Double
    private var lastRead: BootTime
    private var timerTime = BootTime.zero
    /// The time at which the next read is overdue.
    private(set) var dueTime: BootTime

    /// Creates a monitor that initially expects an interval of 1 s. The first read is overdue after `tolerance`
    /// seconds. Each later read is overdue at most `max(limit, tolerance)` seconds after the last recorded one.
    init(tolerance: Double, limit: Double, now: BootTime) {
        self.tolerance = tolerance
        longestInterval = max(0, limit - tolerance) / Self.margin
        expectedInterval = min(1, longestInterval)
        lastRead = now
        dueTime = now.advanced(bySeconds: tolerance)
    }

    /// Records a read by the executor. The timer expires no later than `deadline`, the source's next timeout.
    mutating func recordRead(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        expectedInterval = max(min(now.seconds(since: lastRead), longestInterval), expectedInterval * Self.decay)
        lastRead = now
        dueTime = now.advanced(bySeconds: expectedInterval * Self.margin + tolerance)
        let earliest = now.advanced(bySeconds: expectedInterval + tolerance / 2)
        if min(dueTime, deadline) < timerTime || timerTime < earliest { setTimer(timer, now: now, deadline: deadline) }
    }

    /// Makes the next read overdue once the tolerance has passed. Called when the descriptor may be readable.
    mutating func expectRead(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        dueTime = now.advanced(bySeconds: tolerance)
        setTimer(timer, now: now, deadline: deadline)
    }

    /// Sets the timer to the time at which the next read is overdue, or to an earlier timeout of the source.
    mutating func setTimer(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        timerTime = min(dueTime, deadline)
        timer.set(seconds: timerTime.seconds(since: now))
    }
}
