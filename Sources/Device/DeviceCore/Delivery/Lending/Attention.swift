// SPDX-License-Identifier: Apache-2.0

/// When a connection was looked at, and when it should be looked at again.
package struct Attention: Sendable {
    /// Seconds that who looks may be late.
    private let lateness: Double
    /// The longest time between looks that counts as usual, in seconds.
    private let longestInterval: Double
    private var lastLook: BootTime
    private var lastLife: BootTime
    /// Seconds between looks, of the longer ones: the reports of one epoch come in a row.
    private var interval: Double
    package private(set) var looks: UInt64 = 0
    /// When who looks in place of the source's thread is overdue; never while that does it itself.
    package private(set) var end = BootTime.never
    /// When the alarm was set to ring.
    private var alarmTime = BootTime.zero

    /// - Parameters:
    ///   - lateness: Seconds that who looks may be late.
    ///   - patience: Seconds after a look at which who looks is overdue at the latest, however seldom something comes.
    package init(lateness: Double, patience: Double, now: BootTime) {
        self.lateness = lateness
        longestInterval = max(0, patience - lateness) / 1.5
        interval = min(1, longestInterval)
        lastLook = now
        lastLife = now
    }

    /// Something is being read.
    package mutating func noteLook(now: BootTime) {
        looks &+= 1
        interval = max(min(now.seconds(since: lastLook), longestInterval), interval * 0.95)
        lastLook = now
    }

    /// The process was at work.
    package mutating func noteLife(now: BootTime) { lastLife = now }

    /// Seconds for which the process has not done what it was to do.
    package func pause(now: BootTime) -> Double {
        // Nothing has piled up where nothing was read yet: gpsd was late, and may send much at once.
        guard looks > 0 else { return 0 }
        // While the socket is lent, nobody needs to come before the end.
        return now.seconds(since: end == .never ? lastLife : max(lastLife, min(end, now)))
    }

    /// Something is there, or may be at any time, and somebody is to look at it in place of the source's thread;
    /// the seconds within which that should be.
    @discardableResult
    package mutating func expectLook(now: BootTime) -> Double {
        lastLife = now
        end = now.advanced(bySeconds: lateness)
        return lateness
    }

    /// The source's thread looks itself.
    package mutating func isTakenBack() { (end, alarmTime) = (.never, .zero) }

    /// Who has looked just now in place of the source's thread will do so again, or the alarm rings.
    package mutating func isLent(_ alarm: Alarm, now: BootTime, deadline: BootTime) {
        end = lastLook.advanced(bySeconds: interval * 1.5 + lateness)
        let time = min(end, deadline)
        // Not each time: what is set holds unless it would ring too late, or before the next look.
        guard time < alarmTime || alarmTime < now.advanced(bySeconds: interval + lateness / 2) else { return }
        alarmTime = time
        alarm.set(seconds: time.seconds(since: now))
    }
}
