// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A compass that uses a board's magnetometer and gyroscope.
package final class BoardCompass: NSObject, CLLocationManagerDelegate {
    /// The direction of the board's top edge.
    package enum Bearing: Equatable {
        /// Unknown, because the board has not been turned enough to calibrate the magnetometer, or because magnetic
        /// material is nearby.
        case unknown
        /// The bearing and its accuracy, in degrees clockwise from north. North is magnetic until a position is known.
        case degrees(Double, accuracy: Double, isTrue: Bool)
    }

    /// Called with each bearing, on the main queue.
    package var show: (Bearing) -> Void = { _ in }
    /// Called with error messages.
    package var report: (String) -> Void = { _ in }
    private let manager = CLLocationManager()

    /// Starts the compass. Returns false if no heading is available.
    package func start() -> Bool {
        guard CLLocationManager.headingAvailable() else { return false }
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        // The position only determines the declination, for which an accuracy of one kilometre is sufficient.
        manager.desiredAccuracy = kCLLocationAccuracyKilometer
        manager.startUpdatingLocation()
        manager.headingFilter = 1
        manager.startUpdatingHeading()
        return true
    }

    /// Stops the compass.
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
        // Without positions, the compass continues with magnetic north.
        report(error.localizedDescription)
    }
}

extension BoardCompass.Bearing: CustomStringConvertible {
    private static let points = [
        "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
    ]

    /// The bearing as one line.
    package var description: String {
        switch self {
        case .unknown:
            return "unknown: turn the board once around, away from iron"
        case .degrees(let degrees, let accuracy, let isTrue):
            let point = Self.points[Int((degrees / 22.5).rounded()) % Self.points.count]
            // Rounds 359.7° to 0°, not to 360°.
            let whole = Int(degrees.rounded()) % 360
            let line = String(format: "\(point) %03d° \(isTrue ? "true" : "magnetic") ±%.0f°", whole, accuracy)
            return accuracy > 20 ? line + ": turn the board once around" : line
        }
    }
}
