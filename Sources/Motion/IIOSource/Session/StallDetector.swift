// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Detects that a device has stopped delivering samples. The supervisor passes a progress counter to each check.
struct StallDetector {
    enum Verdict { case none, notStarted, stalled }

    /// ```
    /// starting ── progress ──▶ flowing
    /// starting ── the time limit has passed ──▶ the verdict is .notStarted
    /// flowing ── the time limit has passed ──▶ the verdict is .stalled
    /// ```
    private enum Phase { case starting, flowing }

    /// The deadline for progress. A check that is more than 0.1 s late indicates that the process was suspended or the
    /// machine was busy. The reader thread then gets 0.25 s to process the samples that arrived in the meantime.
    ///
    /// ```
    /// regular ── a check is late, and less than 0.25 s of the time limit remains ──▶ grace
    /// grace, regular ── progress or postpone ──▶ regular
    /// ```
    private enum TimeLimit {
        case regular(since: BootTime)
        case grace(until: BootTime)
    }

    /// The interval between checks, in seconds.
    static let interval = 1.0
    /// The delay in seconds above which a check is considered late.
    private static let schedulingTolerance = 0.1
    /// The time that the reader thread gets after a late check, in seconds.
    private static let gracePeriod = 0.25

    private let startLimit: Double
    private let stallLimit: Double
    private var progress: Int
    private var phase = Phase.starting
    private var timeLimit: TimeLimit
    private var lastCheck: BootTime

    /// Creates a detector for setup or polling. `limit` is the maximum time without progress, in seconds.
    init(limit: Double, progress: Int, now: BootTime) {
        self.init(startLimit: limit, stallLimit: limit, progress: progress, now: now)
    }

    /// An event-driven sensor must deliver its first sample in time. After that, it never counts as stalled, because it
    /// may stay silent for any length of time.
    init(plan: BufferPlan, isEventDriven: Bool, progress: Int, now: BootTime) {
        self.init(
            startLimit: plan.startTimeout, stallLimit: isEventDriven ? .infinity : plan.stallTimeout,
            progress: progress, now: now)
    }

    private init(startLimit: Double, stallLimit: Double, progress: Int, now: BootTime) {
        self.startLimit = startLimit
        self.stallLimit = stallLimit
        self.progress = progress
        timeLimit = .regular(since: now)
        lastCheck = now
    }

    var isFlowing: Bool { phase == .flowing }

    /// The time from which `check` returns `.notStarted` or `.stalled`. Progress, `postpone` and late checks move it.
    var deadline: BootTime {
        switch timeLimit {
        case .regular(let start): start.advanced(bySeconds: isFlowing ? stallLimit : startLimit)
        case .grace(let end): end
        }
    }

    /// Restarts the time limit at `now`. Called while subscribers are still processing earlier samples. Has no effect
    /// if the reader thread entered the phase after `now`, because the time limit already starts later.
    mutating func postpone(now: BootTime) {
        if case .regular(let start) = timeLimit, start > now { return }
        timeLimit = .regular(since: now)
    }

    mutating func check(progress: Int, now: BootTime) -> Verdict {
        // The check was due at `deadline` or one `interval` after the last check, whichever came first.
        let due = min(deadline, lastCheck.advanced(bySeconds: Self.interval))
        lastCheck = now
        if progress != self.progress {
            self.progress = progress
            phase = .flowing
            timeLimit = .regular(since: now)
            return .none
        }
        let end = now.advanced(bySeconds: Self.gracePeriod)
        if case .regular = timeLimit, now.seconds(since: due) > Self.schedulingTolerance, end > deadline {
            timeLimit = .grace(until: end)
        }
        guard now >= deadline else { return .none }
        return isFlowing ? .stalled : .notStarted
    }
}
