// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Notices when the magnetic field is not the earth's for long.
struct DisturbanceWatch: Sendable {
    /// Seconds of disturbance on end that count as a failure.
    static let patience = 5.0

    private var since: BootTime?
    private var isTold = false

    /// True once for each disturbance, when it has lasted long enough.
    mutating func update(isDisturbed: Bool, now: BootTime) -> Bool {
        guard isDisturbed else {
            reset()
            return false
        }
        let start = since ?? now
        since = start
        guard !isTold, now.seconds(since: start) >= Self.patience else { return false }
        isTold = true
        return true
    }

    /// The next disturbance is a new one.
    mutating func reset() {
        since = nil
        isTold = false
    }
}
