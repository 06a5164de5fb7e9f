// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Judges from outside whether a device is set up in time, and then whether it gives samples.
///
/// Pure: it is shown a counter of signs of life now and then.
struct StallWatch {
    /// What to do.
    enum Verdict: Hashable {
        case none
        /// Nothing has come since the start: start the capture once more.
        case restart
        /// Nothing has come since it was started once more: read another way.
        case giveUp
        /// Samples came and come no more.
        case stalled
    }

    /// Seconds between looks.
    static let interval = 1.0
    /// Who looks by so many seconds late was held up, and with it perhaps who reads.
    private static let lateness = 0.1
    /// Seconds that who reads has then for what has come meanwhile.
    private static let patience = 0.25

    private let startLimit: Double
    private let stallLimit: Double
    private let isEventDriven: Bool
    private let isSecondTry: Bool
    private var seen: Int
    private var since: BootTime
    private var lookedAt: BootTime
    private var hasStarted = false
    /// Until when one waits after a late look; nil before there was one.
    private var reprieve: BootTime?

    /// A watch over what has to have progress each so many seconds.
    init(limit: Double, progress: Int, now: BootTime) {
        self.init(
            startLimit: limit, stallLimit: limit, isEventDriven: false, isSecondTry: false, progress: progress, now: now
        )
    }

    /// A watch over a capture.
    init(plan: BufferPlan, isEventDriven: Bool, isSecondTry: Bool, progress: Int, now: BootTime) {
        self.init(
            startLimit: plan.startLimit, stallLimit: plan.stallLimit, isEventDriven: isEventDriven,
            isSecondTry: isSecondTry, progress: progress, now: now)
    }

    private init(
        startLimit: Double, stallLimit: Double, isEventDriven: Bool, isSecondTry: Bool, progress: Int, now: BootTime
    ) {
        self.startLimit = startLimit
        self.stallLimit = stallLimit
        self.isEventDriven = isEventDriven
        self.isSecondTry = isSecondTry
        seen = progress
        since = now
        lookedAt = now
    }

    /// True once samples have come.
    var isFlowing: Bool { hasStarted }

    /// When it has to be looked at again at the latest.
    var deadline: BootTime {
        // A sensor that reports changes only is silent while nothing changes.
        if hasStarted, isEventDriven { return .never }
        return reprieve ?? since.advanced(bySeconds: hasStarted ? stallLimit : startLimit)
    }

    /// The samples so far are still being handed over: time begins when that is done.
    mutating func hold(now: BootTime) {
        since = max(since, now)
        reprieve = nil
    }

    mutating func check(progress: Int, now: BootTime) -> Verdict {
        let due = min(deadline, lookedAt.advanced(bySeconds: Self.interval))
        lookedAt = now
        if progress != seen {
            seen = progress
            since = now
            reprieve = nil
            hasStarted = true
            return .none
        }
        let end = now.advanced(bySeconds: Self.patience)
        if reprieve == nil, now.seconds(since: due) > Self.lateness, end > deadline { reprieve = end }
        guard now >= deadline else { return .none }
        if hasStarted { return .stalled }
        return isSecondTry ? .giveUp : .restart
    }
}
