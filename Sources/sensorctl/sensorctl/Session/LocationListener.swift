// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A manager and its delegate: hands every callback to a printer.
final class LocationListener: NSObject, CLLocationManagerDelegate, StreamListener {
    private let manager = CLLocationManager()
    private let printer: any CallbackPrinter
    private let stop: Stop
    private var countdown: Countdown

    init(
        printer: any CallbackPrinter, stop: Stop, limit: Int? = nil, everyReport: Bool = false, receiver: String? = nil
    ) {
        self.printer = printer
        self.stop = stop
        countdown = Countdown(limit: limit, stop: stop)
        super.init()
        manager.deliversEveryReport = everyReport
        manager.receiver = receiver
        manager.delegate = self
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let wanted = countdown.take(locations.count)
        if wanted > 0 { printer.print(Array(locations.prefix(wanted))) }
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
