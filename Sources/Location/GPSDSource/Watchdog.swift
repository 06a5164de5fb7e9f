// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Tells a silent receiver from a dead connection: the first has no reports, the second does not even answer.
struct Watchdog: Sendable {
    /// What is due.
    enum Action: Sendable, Equatable {
        /// Nothing yet.
        case none
        /// Ask gpsd for its version.
        case probe
        /// Tell the subscribers that reports have stopped.
        case declareSilent
        /// Give the connection up.
        case giveUp
    }

    private let timing: GPSDTiming
    private var lastReport: BootTime
    private var lastLine: BootTime
    private var isSilent = false
    private var answerBy: BootTime?
    /// True once gpsd has said something intelligible on this connection.
    private(set) var hasHeardService = false

    init(timing: GPSDTiming, now: BootTime) {
        self.timing = timing
        lastReport = now
        lastLine = now
        // A service that does not greet is asked at once, so that something else on that port is noticed soon.
        answerBy = now.advanced(bySeconds: timing.answer)
    }

    /// A line of gpsd's has arrived.
    mutating func heardLine(now: BootTime) {
        lastLine = now
        answerBy = nil
        hasHeardService = true
    }

    /// A position report has arrived; true when it ends a silence.
    mutating func heardReport(now: BootTime) -> Bool {
        lastReport = now
        defer { isSilent = false }
        return isSilent
    }

    /// Gives new subscribers the full time until a silence is reported to them. A silence that was reported lasts.
    mutating func restart(now: BootTime) {
        if !isSilent { lastReport = now }
    }

    /// When to look again.
    var deadline: BootTime {
        let answer = answerBy ?? .never
        let probe = answerBy == nil ? probeAt : .never
        let silence = isSilent ? .never : lastReport.advanced(bySeconds: timing.silence)
        return min(answer, probe, silence)
    }

    /// What has to be done now.
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
