// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Synchronization

/// A delegate that records its callbacks.
final class Recorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    private struct State {
        var batches: [[CLLocation]] = []
        var errors: [CLError] = []
        var events: [String] = []
    }

    private let state = Mutex(State())
    /// Called within each callback.
    var onLocations: ((CLLocationManager, [CLLocation]) -> Void)?
    var onError: ((CLLocationManager, CLError) -> Void)?

    var batches: [[CLLocation]] { state.withLock { $0.batches } }
    var locations: [CLLocation] { batches.flatMap { $0 } }
    var errors: [CLError] { state.withLock { $0.errors } }
    /// All callbacks in order, such as "location 48.5", "error 0" and "authorization 4".
    var events: [String] { state.withLock { $0.events } }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        state.withLock { state in
            state.batches.append(locations)
            for location in locations { state.events.append("location \(location.coordinate.latitude)") }
        }
        onLocations?(manager, locations)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard let error = error as? CLError else { return }
        state.withLock { state in
            state.errors.append(error)
            state.events.append("error \(error.code.rawValue)")
        }
        onError?(manager, error)
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let status = manager.authorizationStatus.rawValue
        state.withLock { $0.events.append("authorization \(status)") }
    }
}
