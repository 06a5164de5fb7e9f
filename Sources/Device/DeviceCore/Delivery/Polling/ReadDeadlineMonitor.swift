// SPDX-License-Identifier: Apache-2.0

/// Determines when an executor's read is overdue, and sets the timer that wakes the source's thread at that time.
///
/// A long interval between reads increases the expected interval immediately. Short intervals decrease it only
/// gradually, because the reports of one epoch arrive in quick succession. The timer is set again only if it would
/// expire too late or before the next expected read. This avoids a system call for most readings.
struct ReadDeadlineMonitor: Sendable {
    private let tolerance: Double
    private let longestInterval: Double
    private var interval: Double
    private var lastRead: BootTime
    private var timerTime = BootTime.zero
    /// The time at which the next read is overdue.
    private(set) var dueTime: BootTime

    /// Creates a monitor. The first read is overdue after `tolerance` seconds. Each later read is overdue at most
    /// `limit` seconds after the previous read.
    init(tolerance: Double, limit: Double, now: BootTime) {
        self.tolerance = tolerance
        longestInterval = max(0, limit - tolerance) / 1.5
        interval = min(1, longestInterval)
        lastRead = now
        dueTime = now.advanced(bySeconds: tolerance)
    }

    /// Records a read by the executor. The timer expires no later than `deadline`, the source's next timeout.
    mutating func recordRead(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        interval = max(min(now.seconds(since: lastRead), longestInterval), interval * 0.95)
        lastRead = now
        dueTime = now.advanced(bySeconds: interval * 1.5 + tolerance)
        let nextRead = now.advanced(bySeconds: interval + tolerance / 2)
        if min(dueTime, deadline) < timerTime || timerTime < nextRead { setTimer(timer, now: now, deadline: deadline) }
    }

    /// Makes the next read due after the tolerance. Called when the descriptor may be readable.
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
