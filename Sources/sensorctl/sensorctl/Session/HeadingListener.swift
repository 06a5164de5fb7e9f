// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// A location manager whose headings go to a printer.
///
/// It asks for the position as well, without which there is no true heading; that there is none is no failure.
final class HeadingListener: NSObject, CLLocationManagerDelegate, StreamListener {
    private let manager = CLLocationManager()
    private let interval: Double
    private let origin: BootTime
    private let clock: any DeviceClock
    private let printer: any ReadingPrinter<HeadingReading>
    private let stop: Stop
    private var countdown: Countdown
    /// When the next heading is wanted.
    private var due: Double?

    init(
        edge: EdgeName, interval: Double, origin: BootTime, clock: any DeviceClock,
        printer: any ReadingPrinter<HeadingReading>, stop: Stop, limit: Int? = nil
    ) {
        self.interval = interval
        self.origin = origin
        self.clock = clock
        self.printer = printer
        self.stop = stop
        countdown = Countdown(limit: limit, stop: stop)
        super.init()
        manager.headingFilter = kCLHeadingFilterNone
        manager.headingOrientation = edge.orientation
        manager.delegate = self
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        manager.startUpdatingHeading()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingHeading()
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading heading: CLHeading) {
        // Apple's time stamp is a date, which has no nanoseconds.
        let timestamp = origin.secondsTo(heading.uptime ?? clock.now.seconds)
        // A clock that went back, as when a trace starts again, begins anew.
        if let due, timestamp < due, timestamp > due - 2 * interval { return }
        guard countdown.take() > 0 else { return }
        // Regular as long as headings come, without catching up on those that did not.
        due = max((due ?? timestamp) + interval, timestamp + interval / 2)
        printer.print(HeadingReading(heading, timestamp: timestamp))
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard stop.reason == nil else { return }
        switch (error as? CLError)?.code {
        // Those are about the position.
        case .locationUnknown, .denied: break
        default: printer.print(error)
        }
    }
}
