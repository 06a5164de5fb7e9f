// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Writes each fix to a log.
package final class TrackLogger: NSObject, CLLocationManagerDelegate {
    /// Called with error messages. An error that persists is reported once.
    package var report: (String) -> Void = { _ in }
    private let manager = CLLocationManager()
    private let log: TrackLog
    private var trouble: String?

    /// Creates a logger that has not been started.
    package init(log: TrackLog) {
        self.log = log
        super.init()
        manager.delegate = self
    }

    /// Logs until `stop()` is called.
    package func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    /// Stops the logger and syncs the log. Reports an error and returns false if this fails.
    @discardableResult
    package func stop() -> Bool {
        manager.stopUpdatingLocation()
        return sync()
    }

    /// Waits until all fixes are on disk. Reports an error and returns false if this fails.
    @discardableResult
    package func sync() -> Bool {
        do {
            try log.sync()
            return true
        } catch {
            reportOnce("The log cannot be written: \(error.localizedDescription)")
            return false
        }
    }

    package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        // A negative accuracy means that the location has no position.
        for location in locations where location.horizontalAccuracy >= 0 {
            do {
                try log.append(NMEARecord.bytes(location), at: location.timestamp)
                trouble = nil
            } catch {
                reportOnce("The log cannot be written: \(error.localizedDescription)")
            }
        }
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        reportOnce(error.localizedDescription)
        // The next fix, at which the log would be synced, may be a long time away.
        try? log.sync()
    }

    private func reportOnce(_ text: String) {
        if trouble != text { report(text) }
        trouble = text
    }
}
