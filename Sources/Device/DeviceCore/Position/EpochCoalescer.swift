// SPDX-License-Identifier: Apache-2.0

/// Reduces a receiver's reports to one report per epoch.
///
/// gpsd may send a report after every sentence. An epoch then has several reports with the same time, and each report
/// is more complete than the previous one. Once a receiver has sent two reports with the same time, each of its reports
/// is held until the time changes or no report arrives for 150 ms. Then the epoch's last report is delivered,
/// preferably one with a fix. Receivers that send one report per epoch are not delayed.
struct EpochCoalescer: Sendable {
    /// An epoch is considered complete after this many seconds without a report.
    static let idleTimeout = 0.15
    /// The maximum duration of an epoch, in seconds. Applies if a receiver's time does not advance.
    static let maximumDuration = 2.0

    private(set) var pending: PositionReport?
    /// The time by which the pending report must be delivered.
    private(set) var deadline = BootTime.never
    private var coalescesEpochs = false
    private var epoch: WallTime?
    private var epochStart = BootTime.zero
    /// True if a report of this epoch was delivered, with or without a fix.
    private var hasDelivered = false
    private var hasDeliveredFix = false

    enum Outcome: Sendable {
        case immediate
        case pending
        /// The report is dropped, because an equally complete or more complete report of the same epoch is already
        /// pending or was already delivered.
        case suppressed
    }

    /// - Parameter finished: Set to the previous epoch's pending report, if any. The caller must deliver it now.
    mutating func accept(_ report: PositionReport, now: BootTime, finished: inout PositionReport?) -> Outcome {
        if let time = report.time, time == epoch, now.seconds(since: epochStart) < EpochCoalescer.maximumDuration {
            coalescesEpochs = true
            // A report with a fix is dropped if another fix of the epoch was delivered. A report without a fix is
            // dropped if any report of the epoch was delivered or a fix is pending.
            let isRedundant = report.hasFix ? hasDeliveredFix : hasDelivered || pending?.hasFix == true
            if isRedundant { return .suppressed }
            setPending(report, now: now)
            return .pending
        }
        if pending != nil { finished = removePending() }
        // A report without a time belongs to no epoch, so it does not start a new one.
        guard let time = report.time else { return .immediate }
        (epoch, epochStart) = (time, now)
        (hasDelivered, hasDeliveredFix) = (false, false)
        if coalescesEpochs {
            setPending(report, now: now)
            return .pending
        }
        recordDelivery(report)
        return .immediate
    }

    /// Removes the pending report and records that it was delivered.
    mutating func removePending() -> PositionReport? {
        if let pending { recordDelivery(pending) }
        deadline = .never
        return pending.take()
    }

    /// Called when the stream restarts. Resets the epoch but not `coalescesEpochs`, which depends only on the receiver.
    mutating func reset() {
        (pending, deadline, epoch) = (nil, .never, nil)
        (hasDelivered, hasDeliveredFix) = (false, false)
    }

    private mutating func recordDelivery(_ report: PositionReport) {
        hasDelivered = true
        if report.hasFix { hasDeliveredFix = true }
    }

    private mutating func setPending(_ report: PositionReport, now: BootTime) {
        pending = report
        deadline = now.advanced(bySeconds: EpochCoalescer.idleTimeout)
    }
}
