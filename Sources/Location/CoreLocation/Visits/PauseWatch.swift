// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Decides when the updates of a manager pause, and when they go on.
struct PauseWatch: Sendable {
    private var detector = StationaryDetector()
    private var restSince: BootTime?
    /// True while updates pause.
    private(set) var isPaused = false

    /// Takes a fix; true when updates pause from now on, false when they go on, nil when nothing changes.
    /// - Parameter patience: Seconds at rest after which updates pause; nil for never.
    mutating func accept(_ values: CLLocation.Values, now: BootTime, patience: Double?) -> Bool? {
        guard let patience else {
            let wasPaused = isPaused
            self = PauseWatch()
            return wasPaused ? false : nil
        }
        _ = detector.accept(values, now: now)
        guard detector.isStationary else {
            restSince = nil
            defer { isPaused = false }
            return isPaused ? false : nil
        }
        let since = restSince ?? now.advanced(bySeconds: -StationaryDetector.patience)
        restSince = since
        guard !isPaused, now.seconds(since: since) >= patience else { return nil }
        isPaused = true
        return true
    }
}
