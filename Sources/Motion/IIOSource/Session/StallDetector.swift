// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Detects that a device has stopped delivering samples. The supervisor passes a progress counter to each check.
///
/// ```
/// starting ──────progress─────▶ flowing
///    │ startLimit without progress  │ stallLimit without progress
///    ▼                              ▼
/// .notStarted                    .stalled
/// ```
///
/// A check that is more than 0.1 s late indicates that the process was suspended or the machine was busy. The reader
/// thread is then given 0.25 s to process the samples that arrived in the meantime.
struct StallDetector {
    enum Verdict: Hashable {
        case none
        case notStarted
        case stalled
    }

    /// The interval between checks, in seconds.
    static let interval = 1.0
    /// The delay in seconds above which a check is considered late.
    private static let schedulingTolerance = 0.1
    /// The time in seconds that the reader thread is given after a late check.
    private static let gracePeriod = 0.25

    private let startLimit: Double
    private let stallLimit: Double
    private var progress: Int
    private var lastProgress: BootTime
    private var lastCheck: BootTime
    private(set) var isFlowing = false
    private var graceEnd: BootTime?

    /// Creates a detector for setup or polling. `limit` is the maximum time without progress, in seconds.
    init(limit: Double, progress: Int, now: BootTime) {
        self.init(startLimit: limit, stallLimit: limit, progress: progress, now: now)
    }

    /// An event-driven sensor must deliver a first sample in time. Afterwards it never counts as stalled, because it
    /// may be silent for any length of time.
    init(plan: BufferPlan, isEventDriven: Bool, progress: Int, now: BootTime) {
        self.init(
            startLimit: plan.startTimeout, stallLimit: isEventDriven ? .infinity : plan.stallTimeout,
            progress: progress, now: now)
    }

    private init(startLimit: Double, stallLimit: Double, progress: Int, now: BootTime) {
        self.startLimit = startLimit
        self.stallLimit = stallLimit
        self.progress = progress
        lastProgress = now
        lastCheck = now
    }

    /// The time from which `check` returns `.notStarted` or `.stalled`. Progress, `postpone` or a late check moves it.
    var deadline: BootTime {
        let limit = isFlowing ? stallLimit : startLimit
        guard limit.isFinite else { return .never }
        return graceEnd ?? lastProgress.advanced(bySeconds: limit)
    }

    /// Restarts the time limit. Called while subscribers are still processing earlier samples.
    mutating func postpone(now: BootTime) {
        lastProgress = max(lastProgress, now)
        graceEnd = nil
    }

    mutating func check(progress: Int, now: BootTime) -> Verdict {
        // The check was due at `deadline` or one `interval` after the last check, whichever came first.
        let due = min(deadline, lastCheck.advanced(bySeconds: Self.interval))
        lastCheck = now
        if progress != self.progress {
            self.progress = progress
            lastProgress = now
            graceEnd = nil
            isFlowing = true
            return .none
        }
        // If the check is late, extend the deadline to the end of a grace period, unless the deadline is already later.
        // Do this only once until there is progress again or `postpone` is called.
        let end = now.advanced(bySeconds: Self.gracePeriod)
        if graceEnd == nil, now.seconds(since: due) > Self.schedulingTolerance, end > deadline { graceEnd = end }
        guard now >= deadline else { return .none }
        return isFlowing ? .stalled : .notStarted
    }
}
