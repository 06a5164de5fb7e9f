// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A compass on a board's magnetometer and gyroscope.
package final class BoardCompass: NSObject, CLLocationManagerDelegate {
    /// Where the board's top edge points.
    package enum Bearing: Equatable {
        /// Not known: the magnetometer has not seen enough directions yet, or something magnetic is near.
        case unknown
        /// Degrees clockwise from north, and how far they may be off. From magnetic north as long as no position is known.
        case degrees(Double, accuracy: Double, isTrue: Bool)
    }

    /// Told of each bearing, on the main queue.
    package var show: (Bearing) -> Void = { _ in }
    /// Told what goes wrong.
    package var report: (String) -> Void = { _ in }
    private let manager = CLLocationManager()

    /// Begins to show; false when nothing here tells directions.
    package func start() -> Bool {
        guard CLLocationManager.headingAvailable() else { return false }
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        // True north differs from magnetic north by what the place says, and a kilometre does not matter.
        manager.desiredAccuracy = kCLLocationAccuracyKilometer
        manager.startUpdatingLocation()
        manager.headingFilter = 1
        manager.startUpdatingHeading()
        return true
    }

    /// Ends it.
    package func stop() {
        manager.stopUpdatingHeading()
        manager.stopUpdatingLocation()
    }

    package func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        guard newHeading.headingAccuracy >= 0 else { return show(.unknown) }
        let isTrue = newHeading.trueHeading >= 0
        show(
            .degrees(
                isTrue ? newHeading.trueHeading : newHeading.magneticHeading, accuracy: newHeading.headingAccuracy,
                isTrue: isTrue))
    }

    package func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        // Without positions the compass goes on, to magnetic north.
        report(error.localizedDescription)
    }
}

extension BoardCompass.Bearing: CustomStringConvertible {
    private static let points = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// One line.
    package var description: String {
        switch self {
        case .unknown:
            return "unknown: turn the board once around, away from iron"
        case .degrees(let degrees, let accuracy, let isTrue):
            let point = Self.points[Int((degrees / 22.5).rounded()) % Self.points.count]
            // 359.7 is 0, not 360.
            let whole = Int(degrees.rounded()) % 360
            let line = String(format: "\(point) %03d° \(isTrue ? "true" : "magnetic") ±%.0f°", whole, accuracy)
            return accuracy > 20 ? line + ": turn the board once around" : line
        }
    }
}
