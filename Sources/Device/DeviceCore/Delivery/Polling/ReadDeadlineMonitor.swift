// SPDX-License-Identifier: Apache-2.0

/// Determines when an executor's read is overdue, and sets the timer that wakes the source's thread at that time.
///
/// The due time depends on the expected interval between reads. A longer interval is adopted immediately. Shorter
/// intervals reduce the expected interval only gradually, because a source may deliver several readings in quick
/// succession and then pause.
///
/// Setting the timer takes a system call. To avoid this call after most reads, the timer is left unchanged if its
/// expiry is neither too late nor too early. It is too late if it comes after the due time or the source's own timeout.
/// It is too early if it comes before the expected time of the next read plus half the tolerance. If the source's own
/// timeout comes that early, the timer is set after each read.
struct ReadDeadlineMonitor: Sendable {
    /// A read is overdue if the time since the previous one is longer than the tolerance plus this multiple of the
    /// expected interval.
    private static let margin = 1.5
    /// A single read cannot reduce the expected interval below this fraction of its previous value.
    private static let decay = 0.95

    private let tolerance: Double
    /// The maximum value of `expectedInterval`. At this interval, a read becomes overdue after `limit` seconds.
    private let longestInterval: Double
    private var expectedInterval: Double
    private var lastRead: BootTime
    private var timerTime = BootTime.zero
    /// The time at which the next read becomes overdue.
    private(set) var dueTime: BootTime

    /// Creates a monitor that initially expects an interval of 1 s, or `longestInterval` if that is shorter. The first
    /// read becomes overdue after `tolerance` seconds. After each recorded read, the next read becomes overdue within
    /// `max(limit, tolerance)` seconds.
    init(tolerance: Double, limit: Double, now: BootTime) {
        self.tolerance = tolerance
        longestInterval = max(0, limit - tolerance) / Self.margin
        expectedInterval = min(1, longestInterval)
        lastRead = now
        dueTime = now.advanced(bySeconds: tolerance)
    }

    /// Records a read by the executor, and sets the timer again if necessary. `deadline` is the source's next timeout.
    /// The timer expires at that time or earlier.
    mutating func recordRead(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        expectedInterval = max(min(now.seconds(since: lastRead), longestInterval), expectedInterval * Self.decay)
        lastRead = now
        dueTime = now.advanced(bySeconds: expectedInterval * Self.margin + tolerance)
        let earliest = now.advanced(bySeconds: expectedInterval + tolerance / 2)
        if min(dueTime, deadline) < timerTime || timerTime < earliest { setTimer(timer, now: now, deadline: deadline) }
    }

    /// Sets the due time of the next read to the current time plus the tolerance. Called when the descriptor may be
    /// readable.
    mutating func expectRead(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        dueTime = now.advanced(bySeconds: tolerance)
        setTimer(timer, now: now, deadline: deadline)
    }

    /// Sets the timer to the time at which the next read is overdue, or to the source's next timeout if that is
    /// earlier.
    mutating func setTimer(_ timer: TimerFD, now: BootTime, deadline: BootTime) {
        timerTime = min(dueTime, deadline)
        timer.set(seconds: timerTime.seconds(since: now))
    }
}
