// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Detects that a device delivers nothing, from a counter of its progress that the supervisor reads from time to time.
///
/// ```
/// starting ──────progress─────▶ flowing ──▶ …
///    │ startLimit without progress  │ stallLimit without progress
///    ▼                              ▼
/// .notStarted                    .stalled
/// ```
///
/// A check that is more than 0.1 s late means that the process was suspended or the machine busy. The reader thread then has
/// 0.25 s to process the samples that have arrived meanwhile.
struct StallDetector {
    enum Verdict: Hashable {
        case none
        /// Nothing was delivered since the start.
        case notStarted
        /// Samples were delivered, and no more are.
        case stalled
    }

    /// The interval of checks, in seconds.
    static let interval = 1.0
    /// The delay of a check, in seconds, beyond which it counts as late.
    private static let lateness = 0.1
    /// The time in seconds that a reader has after a late check.
    private static let gracePeriod = 0.25

    private let startLimit: Double
    private let stallLimit: Double
    private var progress: Int
    private var lastProgress: BootTime
    private var lastCheck: BootTime
    /// True once the device has delivered since the start.
    private(set) var isFlowing = false
    /// The end of the grace period after a late check.
    private var graceEnd: BootTime?

    /// Creates a detector for a device that has to make progress within each `limit` seconds.
    init(limit: Double, progress: Int, now: BootTime) {
        self.init(startLimit: limit, stallLimit: limit, progress: progress, now: now)
    }

    /// Creates a detector for a buffer. An event-driven sensor is silent while nothing changes, so that it never stalls.
    init(plan: BufferPlan, isEventDriven: Bool, progress: Int, now: BootTime) {
        self.init(
            startLimit: plan.startLimit, stallLimit: isEventDriven ? .infinity : plan.stallLimit, progress: progress,
            now: now)
    }

    private init(startLimit: Double, stallLimit: Double, progress: Int, now: BootTime) {
        self.startLimit = startLimit
        self.stallLimit = stallLimit
        self.progress = progress
        lastProgress = now
        lastCheck = now
    }

    /// The time of the next check at the latest.
    var deadline: BootTime {
        let limit = isFlowing ? stallLimit : startLimit
        guard limit.isFinite else { return .never }
        return graceEnd ?? lastProgress.advanced(bySeconds: limit)
    }

    /// Restarts the limit, because subscribers are still processing the samples so far.
    mutating func postpone(now: BootTime) {
        lastProgress = max(lastProgress, now)
        graceEnd = nil
    }

    mutating func check(progress: Int, now: BootTime) -> Verdict {
        let due = min(deadline, lastCheck.advanced(bySeconds: Self.interval))
        lastCheck = now
        if progress != self.progress {
            self.progress = progress
            lastProgress = now
            graceEnd = nil
            isFlowing = true
            return .none
        }
        let end = now.advanced(bySeconds: Self.gracePeriod)
        if graceEnd == nil, now.seconds(since: due) > Self.lateness, end > deadline { graceEnd = end }
        guard now >= deadline else { return .none }
        return isFlowing ? .stalled : .notStarted
    }
}
