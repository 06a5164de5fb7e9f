// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Distinguishes a dead connection from a silent receiver. If only the receiver is silent, gpsd still answers requests.
struct Watchdog: Sendable {
    enum Action: Sendable, Equatable {
        case none
        /// Requests gpsd's version.
        case probe
        case reportSilence
        case closeConnection
    }

    private let timing: GPSDTiming
    private var lastReport: BootTime
    private var lastLine: BootTime
    private var isSilent = false
    private var replyDeadline: BootTime?
    private(set) var hasReceivedValidLine = false

    init(timing: GPSDTiming, now: BootTime) {
        self.timing = timing
        lastReport = now
        lastLine = now
        // The service must send a greeting within `replyTimeout`, so that a wrong port is detected quickly.
        replyDeadline = now.advanced(bySeconds: timing.replyTimeout)
    }

    /// Records the arrival of a valid line of any kind, including replies to requests. Malformed lines do not count.
    mutating func recordValidLine(now: BootTime) {
        lastLine = now
        replyDeadline = nil
        hasReceivedValidLine = true
    }

    /// Records the arrival of a position report. Returns true if it ends a silence that has been reported to
    /// subscribers.
    mutating func recordReport(now: BootTime) -> Bool {
        lastReport = now
        defer { isSilent = false }
        return isSilent
    }

    /// Restarts the silence timeout, unless a silence has already been reported. Called after the number of subscribers
    /// has risen from 0 to 1.
    mutating func restart(now: BootTime) { if !isSilent { lastReport = now } }

    var deadline: BootTime {
        let reply = replyDeadline ?? .never
        let probe = replyDeadline == nil ? nextProbe : .never
        let silence = isSilent ? .never : lastReport.advanced(bySeconds: timing.silenceTimeout)
        return min(reply, probe, silence)
    }

    mutating func check(now: BootTime) -> Action {
        if let replyDeadline, now >= replyDeadline { return .closeConnection }
        if !isSilent, now >= lastReport.advanced(bySeconds: timing.silenceTimeout) {
            isSilent = true
            return .reportSilence
        }
        if replyDeadline == nil, now >= nextProbe {
            replyDeadline = now.advanced(bySeconds: timing.replyTimeout)
            return .probe
        }
        return .none
    }

    private var nextProbe: BootTime {
        lastLine.advanced(bySeconds: isSilent ? timing.probeInterval : timing.silenceTimeout)
    }
}
