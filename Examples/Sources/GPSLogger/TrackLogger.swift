// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// Writes each fix into a log.
package final class TrackLogger: NSObject, CLLocationManagerDelegate {
    /// Told what goes wrong: each trouble once, until it is over.
    package var report: (String) -> Void = { _ in }
    private let manager = CLLocationManager()
    private let log: TrackLog
    private var trouble: String?

    /// A logger that has not been started.
    package init(log: TrackLog) {
        self.log = log
        super.init()
        manager.delegate = self
    }

    /// Logs until `stop()`.
    package func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    /// Ends it, with all of it on the disk. False when the disk has failed, which was reported.
    @discardableResult
    package func stop() -> Bool {
        manager.stopUpdatingLocation()
        return sync()
    }

    /// Waits until all is on the disk. False when the disk has failed, which was reported.
    @discardableResult
    package func sync() -> Bool {
        do {
            try log.sync()
            return true
        } catch {
            tell("The log cannot be written: \(error.localizedDescription)")
            return false
        }
    }

    package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        // Negative: there is no position in it.
        for location in locations where location.horizontalAccuracy >= 0 {
            do {
                try log.append(NMEARecord.bytes(location), at: location.timestamp)
                trouble = nil
            } catch {
                tell("The log cannot be written: \(error.localizedDescription)")
            }
        }
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        tell(error.localizedDescription)
        // Nothing may come for long now.
        try? log.sync()
    }

    private func tell(_ text: String) {
        if trouble != text { report(text) }
        trouble = text
    }
}
