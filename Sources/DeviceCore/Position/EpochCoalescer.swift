// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Makes one report of each epoch of one receiver.
///
/// gpsd may report after every sentence, so several reports carry one time, each more complete than the one before.
/// A receiver that sends one report an epoch is never held back. Once two reports had one time, epochs are held until
/// the time changes or 150 ms pass without a report, and the last report of the epoch is the one that counts.
struct EpochCoalescer: Sendable {
    /// How long an epoch may be quiet before it counts as complete.
    static let quiet = 0.15

    /// The report that waits for its epoch to end.
    private(set) var pending: PositionReport?
    /// When the pending report is handed over at the latest.
    private(set) var deadline = BootTime.never
    private var holdsEpochs = false
    private var epoch: WallTime?
    private var handedOverFix = false

    /// What becomes of a report that was just accepted.
    enum Outcome: Sendable {
        /// It goes out at once.
        case immediate
        /// It waits for the end of its epoch.
        case held
        /// A fix of this epoch has gone out already, before the receiver was known to report twice.
        case suppressed
    }

    /// Takes the next report. `finished` receives the report of the epoch that this one ends, if any.
    mutating func accept(_ report: PositionReport, now: BootTime, finished: inout PositionReport?) -> Outcome {
        if let time = report.time, time == epoch {
            holdsEpochs = true
            if handedOverFix { return .suppressed }
            hold(report, now: now)
            return .held
        }
        if pending != nil { finished = take() }
        epoch = report.time
        handedOverFix = false
        // A report without a time belongs to no epoch that a later one could complete.
        if holdsEpochs && report.time != nil {
            hold(report, now: now)
            return .held
        }
        handedOverFix = report.hasFix
        return .immediate
    }

    /// Hands over what waits, because its time is up or the stream has ended.
    mutating func take() -> PositionReport? {
        defer {
            pending = nil
            deadline = .never
        }
        if let pending, pending.hasFix { handedOverFix = true }
        return pending
    }

    /// Forgets the epoch, for the stream starts anew; what the receiver's habit is stays known.
    mutating func reset() {
        pending = nil
        deadline = .never
        epoch = nil
        handedOverFix = false
    }

    private mutating func hold(_ report: PositionReport, now: BootTime) {
        pending = report
        deadline = now.advanced(bySeconds: EpochCoalescer.quiet)
    }
}
