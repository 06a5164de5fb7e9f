// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import MQTTPublisher

/// Publishes each fix to an MQTT broker in OwnTracks format.
package final class MQTTTracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let publisher: MQTTPublisher
    private let report: @Sendable (String) -> Void

    /// Creates a tracker that connects to the broker but has not been started.
    ///
    /// - Parameter report: Called with messages about the connection, on any thread.
    package init(
        _ settings: MQTTPublisherSettings, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.report = report
        publisher = try MQTTPublisher(settings) { event in
            switch event {
            case .connected: report("connected to \(settings.broker)")
            // A publisher keeps trying to reconnect and reports each loss once.
            case .lost(let error), .spoolFailed(let error): report(error.description)
            }
        }
        super.init()
        manager.delegate = self
    }

    /// Tracks until `stop()` is called.
    package func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    /// Stops the tracker. Messages that the broker does not acknowledge within five seconds remain in the spool for the
    /// next run.
    package func stop() {
        manager.stopUpdatingLocation()
        publisher.end()
    }

    /// The numbers of published and pending messages.
    package var statistics: MQTTStatistics { publisher.statistics }

    package func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations { publisher.publish(location) }
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        report(error.localizedDescription)
    }
}
