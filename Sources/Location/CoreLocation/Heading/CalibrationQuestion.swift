// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Decides when the program is asked whether a calibration may be shown: at the first heading that is not to be trusted,
/// and again when one is after others that were, but not every moment.
struct CalibrationQuestion: Sendable {
    /// Seconds from one question to the next.
    static let pause = 60.0

    private var isAsked = false
    private var lastTime: BootTime?

    /// True when the question is due.
    mutating func isDue(isTrusted: Bool, now: BootTime) -> Bool {
        if isTrusted {
            isAsked = false
            return false
        }
        guard !isAsked else { return false }
        if let lastTime, now.seconds(since: lastTime) < Self.pause { return false }
        isAsked = true
        lastTime = now
        return true
    }
}
