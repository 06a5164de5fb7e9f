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
        for location in locations { publisher.publish(location) }
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        report(error.localizedDescription)
    }
}
