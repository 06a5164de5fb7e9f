// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A detector of the times when the updates of a manager pause and resume.
struct PauseDetector: Sendable {
    private var detector = StationaryDetector()
    private var restSince: BootTime?
    /// True while updates are paused.
    private(set) var isPaused = false

    /// Processes a fix. Returns true if updates pause from now on, false if they resume, and nil if nothing changes.
    /// - Parameter patience: The time at rest after which updates pause, in seconds; nil if they never pause.
    mutating func accept(_ values: CLLocation.Values, now: BootTime, patience: Double?) -> Bool? {
        guard let patience else {
            let wasPaused = isPaused
            self = PauseDetector()
            return wasPaused ? false : nil
        }
        _ = detector.accept(values, now: now)
        guard detector.isStationary else {
            restSince = nil
            defer { isPaused = false }
            return isPaused ? false : nil
        }
        let since = restSince ?? now.advanced(bySeconds: -StationaryDetector.minimumDuration)
        restSince = since
        guard !isPaused, now.seconds(since: since) >= patience else { return nil }
        isPaused = true
        return true
    }
}
