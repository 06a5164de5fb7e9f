// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Distinguishes a silent receiver from a dead connection: without a receiver, gpsd sends no reports but answers
/// requests.
struct Watchdog: Sendable {
    /// The action that is due.
    enum Action: Sendable, Equatable {
        /// No action is due.
        case none
        /// Request the version of gpsd.
        case probe
        /// Report to the subscribers that position reports have stopped.
        case declareSilent
        /// Close the connection.
        case giveUp
    }

    private let timing: GPSDTiming
    private var lastReport: BootTime
    private var lastLine: BootTime
    private var isSilent = false
    private var answerBy: BootTime?
    /// True once gpsd has sent a valid line on this connection.
    private(set) var hasHeardService = false

    init(timing: GPSDTiming, now: BootTime) {
        self.timing = timing
        lastReport = now
        lastLine = now
        // A service that sends no greeting times out early, so that a wrong port is detected soon.
        answerBy = now.advanced(bySeconds: timing.answer)
    }

    /// Records the arrival of a valid line.
    mutating func heardLine(now: BootTime) {
        lastLine = now
        answerBy = nil
        hasHeardService = true
    }

    /// Records the arrival of a position report. Returns true if it ends a silence.
    mutating func heardReport(now: BootTime) -> Bool {
        lastReport = now
        defer { isSilent = false }
        return isSilent
    }

    /// Gives new subscribers the full time until a silence is reported to them. A silence that was reported lasts.
    mutating func restart(now: BootTime) {
        if !isSilent { lastReport = now }
    }

    /// The time of the next check.
    var deadline: BootTime {
        let answer = answerBy ?? .never
        let probe = answerBy == nil ? probeAt : .never
        let silence = isSilent ? .never : lastReport.advanced(bySeconds: timing.silence)
        return min(answer, probe, silence)
    }

    /// Returns the action that is due now.
    mutating func check(now: BootTime) -> Action {
        if let answerBy, now >= answerBy { return .giveUp }
        if !isSilent, now >= lastReport.advanced(bySeconds: timing.silence) {
            isSilent = true
            return .declareSilent
        }
        if answerBy == nil, now >= probeAt {
            answerBy = now.advanced(bySeconds: timing.answer)
            return .probe
        }
        return .none
    }

    private var probeAt: BootTime {
        lastLine.advanced(bySeconds: isSilent ? timing.probeInterval : timing.silence)
    }
}
