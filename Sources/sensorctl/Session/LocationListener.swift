// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A manager and its delegate: hands every callback to a printer. Used on the main thread.
final class LocationListener: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let printer: any CallbackPrinter
    private let stop: Stop
    /// How many more locations are wanted; nil for all.
    private var remaining: Int?

    /// The locations that were printed.
    private(set) var count = 0

    init(printer: any CallbackPrinter, stop: Stop, limit: Int? = nil) {
        self.printer = printer
        self.stop = stop
        remaining = limit
        super.init()
        manager.delegate = self
    }

    /// True when as many have come as were wanted.
    var isComplete: Bool { remaining.map { $0 == 0 } ?? true }

    func start(everyReport: Bool, receiver: String? = nil) {
        manager.deliversEveryReport = everyReport
        manager.receiver = receiver
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard stop.reason == nil else { return }
        let wanted = Array(locations.prefix(remaining ?? locations.count))
        guard !wanted.isEmpty else { return }
        printer.print(wanted)
        count += wanted.count
        if let rest = remaining {
            remaining = rest - wanted.count
            if remaining == 0 { stop.request(.complete) }
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard stop.reason == nil else { return }
        printer.print(error)
        if (error as? CLError)?.code == .denied { stop.request(.denied) }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        guard stop.reason == nil else { return }
        printer.print(manager.authorizationStatus, accuracy: manager.accuracyAuthorization)
    }
}
