// SPDX-License-Identifier: Apache-2.0

/// Makes one report of each epoch of one receiver.
///
/// gpsd may report after every sentence, so several reports carry one time, each more complete than the one before.
/// A receiver that sends one report an epoch is never held back. Once two reports had one time, epochs are held until
/// the time changes or 150 ms pass without a report, and the last fix of the epoch is the one that counts.
struct EpochCoalescer: Sendable {
    /// How long an epoch may be quiet before it counts as complete.
    static let quiet = 0.15
    /// How long reports with one time belong together. A receiver whose clock stands still is not silenced by it.
    static let longest = 2.0

    /// The report that waits for its epoch to end.
    private(set) var pending: PositionReport?
    /// When the pending report is handed over at the latest.
    private(set) var deadline = BootTime.never
    private var holdsEpochs = false
    private var epoch: WallTime?
    private var epochStart = BootTime.zero
    /// What of this epoch has gone out: a report, and one with a fix.
    private var handedOver = false
    private var handedOverFix = false

    /// What becomes of a report that was just accepted.
    enum Outcome: Sendable {
        /// It goes out at once.
        case immediate
        /// It waits for the end of its epoch.
        case held
        /// It adds nothing: what went out or waits for this epoch says as much.
        case suppressed
    }

    /// Takes the next report. `finished` receives the report of the epoch that this one ends, if any.
    mutating func accept(_ report: PositionReport, now: BootTime, finished: inout PositionReport?) -> Outcome {
        if let time = report.time, time == epoch, now.seconds(since: epochStart) < EpochCoalescer.longest {
            holdsEpochs = true
            // A fix is told once, and nothing without a fix takes its place or says again that there is none.
            let isKnown = report.hasFix ? handedOverFix : handedOver || pending?.hasFix == true
            if isKnown { return .suppressed }
            hold(report, now: now)
            return .held
        }
        if pending != nil { finished = take() }
        // A report without a time belongs to no epoch, and does not end the one that goes on around it.
        guard let time = report.time else { return .immediate }
        (epoch, epochStart) = (time, now)
        (handedOver, handedOverFix) = (false, false)
        if holdsEpochs {
            hold(report, now: now)
            return .held
        }
        noteHandedOver(report)
        return .immediate
    }

    /// Hands over what waits, because its time is up or the stream has ended.
    mutating func take() -> PositionReport? {
        if let pending { noteHandedOver(pending) }
        deadline = .never
        return pending.take()
    }

    /// Forgets the epoch, for the stream starts anew; what the receiver's habit is stays known.
    mutating func reset() {
        (pending, deadline, epoch) = (nil, .never, nil)
        (handedOver, handedOverFix) = (false, false)
    }

    private mutating func noteHandedOver(_ report: PositionReport) {
        handedOver = true
        if report.hasFix { handedOverFix = true }
    }

    private mutating func hold(_ report: PositionReport, now: BootTime) {
        pending = report
        deadline = now.advanced(bySeconds: EpochCoalescer.quiet)
    }
}
