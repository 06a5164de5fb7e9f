// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Dashboard
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// Monitors the regions specified by the user or added by a page. Must be used on the main thread. The "regions"
/// message must match app.js.
final class DashboardRegions: NSObject, CLLocationManagerDelegate {
    private struct State {
        var region: DashboardRegion
        var state = State.unknown
        /// The time of the last change, in seconds on the session's clock, or nil if unknown.
        var since: Double?

        static let unknown = "unknown"
    }

    private let manager = CLLocationManager()
    private let feed: DashboardFeed
    private let clock: SessionClock
    private var states: [State] = []
    /// Called with the monitored regions after each change of the list.
    var onChange: ([CLCircularRegion]) -> Void = { _ in }

    init(feed: DashboardFeed, clock: SessionClock) {
        (self.feed, self.clock) = (feed, clock)
        super.init()
        manager.delegate = self
    }

    func start(_ regions: [NamedRegion]) {
        // Stops monitoring the regions of a previous run that was killed.
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        for region in regions {
            _ = add(
                DashboardRegion(
                    name: region.name, latitude: region.center.latitude, longitude: region.center.longitude,
                    radius: region.radius))
        }
        publish()
        onChange(states.map(\.region.circle))
    }

    func end() {
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        manager.delegate = nil
    }

    /// Restarts monitoring to redetermine each region's state. Called after a seek.
    func restart() {
        for index in states.indices {
            (states[index].state, states[index].since) = (State.unknown, nil)
            manager.startMonitoring(for: states[index].region.circle)
        }
        publish()
    }

    /// Adds a region. Returns an error message, or nil on success.
    func add(_ region: DashboardRegion) -> String? {
        guard !states.contains(where: { $0.region.name == region.name }) else {
            return "The region \(region.name) already exists."
        }
        guard states.count < NamedRegion.maximumCount else {
            return "At most \(NamedRegion.maximumCount) regions can be monitored."
        }
        states.append(State(region: region))
        manager.startMonitoring(for: region.circle)
        publish()
        onChange(states.map(\.region.circle))
        return nil
    }

    /// Removes a region. Returns an error message, or nil on success.
    func remove(_ name: String) -> String? {
        guard let index = states.firstIndex(where: { $0.region.name == name }) else {
            return "There is no region \(name)."
        }
        manager.stopMonitoring(for: states.remove(at: index).region.circle)
        publish()
        onChange(states.map(\.region.circle))
        return nil
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        updateState(state, of: region)
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        updateState(.inside, of: region)
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        updateState(.outside, of: region)
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        feed.log("warning", at: clock.now, "The region \(region?.identifier ?? "") is not monitored: \(error.reason)")
    }

    private func updateState(_ state: CLRegionState, of region: CLRegion) {
        guard let index = states.firstIndex(where: { $0.region.name == region.identifier }) else { return }
        states[index].state = "\(state)"
        // The receiver's time may differ greatly from the system time. The time of the change is therefore clamped to
        // the interval between the session's start and the current time.
        states[index].since = region.stateDate.map { min(max(0, clock.seconds(WallTime($0))), clock.now) }
        publish()
    }

    private func publish() {
        feed.publish("regions", list: states) { state in
            [
                "id": state.region.name, "latitude": state.region.latitude, "longitude": state.region.longitude,
                "radius": state.region.radius, "state": state.state, "since": state.since,
            ]
        }
    }
}

extension DashboardRegion {
    fileprivate var circle: CLCircularRegion {
        CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius, identifier: name)
    }
}
