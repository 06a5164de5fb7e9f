// SPDX-License-Identifier: Apache-2.0

/// The time at which an executor that polls a descriptor should have read it, and the timer that wakes the source's thread
/// then.
///
/// The expected interval follows the longer ones of the recent intervals between reads, because the reports of an epoch arrive
/// in a row. The timer is moved only if it would expire too late or before the next read, which saves a system call a reading.
struct ReadDeadlineMonitor: Sendable {
    /// The longest delay of a read that is tolerated, in seconds.
    private let tolerance: Double
    /// The longest interval between reads that is expected, in seconds.
    private let longestInterval: Double
    private var interval: Double
    private var lastRead: BootTime
    private var timerTime = BootTime.zero
    /// The time at which a read is overdue.
    private(set) var dueTime: BootTime

    /// - Parameters:
    ///   - tolerance: The longest delay of a read that is tolerated, in seconds.
    ///   - limit: The time in seconds after a read at which the next one is overdue at the latest.
    init(tolerance: Double, limit: Double, now: BootTime) {
        self.tolerance = tolerance
        longestInterval = max(0, limit - tolerance) / 1.5
        interval = min(1, longestInterval)
        lastRead = now
        dueTime = now.advanced(bySeconds: tolerance)
    }

    /// Records a read by the executor.
    ///
    /// - Parameter deadline: The time of the next timeout of the source, at which the timer expires at the latest.
    mutating func recordRead(_ timer: Alarm, now: BootTime, deadline: BootTime) {
        interval = max(min(now.seconds(since: lastRead), longestInterval), interval * 0.95)
        lastRead = now
        dueTime = now.advanced(bySeconds: interval * 1.5 + tolerance)
        let nextRead = now.advanced(bySeconds: interval + tolerance / 2)
        if min(dueTime, deadline) < timerTime || timerTime < nextRead { setTimer(timer, now: now, deadline: deadline) }
    }

    /// Expects a read within the tolerance, because the descriptor is readable, or may be.
    mutating func expectRead(_ timer: Alarm, now: BootTime, deadline: BootTime) {
        dueTime = now.advanced(bySeconds: tolerance)
        setTimer(timer, now: now, deadline: deadline)
    }

    /// Sets the timer to the time at which a read is overdue, or to the next timeout of the source.
    mutating func setTimer(_ timer: Alarm, now: BootTime, deadline: BootTime) {
        timerTime = min(dueTime, deadline)
        timer.set(seconds: timerTime.seconds(since: now))
    }
}
