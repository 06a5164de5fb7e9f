// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import MQTTPublisher

/// Publishes each fix at an MQTT broker, as OwnTracks has it.
package final class MQTTTracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let publisher: MQTTPublisher
    private let report: @Sendable (String) -> Void

    /// A tracker that has not been started. It begins to connect.
    ///
    /// - Parameter report: told what happens to the connection, on any thread.
    package init(
        _ settings: MQTTPublisherSettings, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.report = report
        publisher = try MQTTPublisher(settings) { event in
            switch event {
            case .connected: report("connected to \(settings.broker)")
            // A publisher goes on trying, and tells each loss once.
            case .lost(let error), .spoolFailed(let error): report(error.description)
            }
        }
        super.init()
        manager.delegate = self
    }

    /// Tracks until `stop()`.
    package func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    /// Ends it. What the broker does not take in five seconds waits in the spool for the next run.
    package func stop() {
        manager.stopUpdatingLocation()
        publisher.end()
    }

    /// What was published, and what waits.
    package var statistics: MQTTStatistics { publisher.statistics }

    package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        // The receiver's report knows best what is known and what is not. Rough locations have none: where it is, they say.
        for location in locations { publisher.publish(location.report ?? location.roughReport) }
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        report(error.localizedDescription)
    }
}

extension CLLocation {
    /// A report that says no more than where this is, how rough that is, and since when it is known.
    var roughReport: PositionReport {
        var report = PositionReport()
        // Negative: there is no position in it. A publisher passes it over.
        report.mode = horizontalAccuracy < 0 ? .none : .twoDimensional
        (report.latitude, report.longitude) = (coordinate.latitude, coordinate.longitude)
        report.horizontalError = horizontalAccuracy
        report.time = WallTime(seconds: timestamp.timeIntervalSince1970)
        return report
    }
}
