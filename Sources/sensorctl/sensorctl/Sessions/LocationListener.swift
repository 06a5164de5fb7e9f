// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import MotionEngine

/// A manager and its delegate: hands every callback to an outlet.
final class LocationListener: NSObject, CLLocationManagerDelegate, StreamListener {
    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let clock: any DeviceClock

    /// - Parameter clock: what time it is, for callbacks that carry none.
    init(clock: any DeviceClock, everyReport: Bool = false, receiver: String? = nil, outlet: ReadingOutlet) {
        self.clock = clock
        self.outlet = outlet
        super.init()
        manager.deliversEveryReport = everyReport
        manager.receiver = receiver
        manager.delegate = self
    }

    func start() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func end() {
        manager.stopUpdatingLocation()
        manager.delegate = nil
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        let wanted = outlet.take(locations.count)
        if wanted > 0 { outlet.print(counted: LocationsReading(locations: Array(locations.prefix(wanted)))) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        outlet.tell(LocationFailure(error: error, time: clock.wallTime))
        if (error as? CLError)?.code == .denied { outlet.deny() }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        outlet.tell(
            AuthorizationReading(
                status: manager.authorizationStatus, accuracy: manager.accuracyAuthorization, time: clock.wallTime))
    }
}

/// A location manager whose headings go to an outlet.
///
/// It asks for the position as well, without which there is no true heading; that there is none is no failure.
final class HeadingListener: NSObject, CLLocationManagerDelegate, StreamListener {
    /// Seconds between pieces of advice.
    private static let pause = 5.0

    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let interval: Double
    private let origin: BootTime
    private let clock: any DeviceClock
    private let engine: MotionEngine
    /// When the next heading is wanted.
    private var due: Double?
    /// What was advised last, and when; nil while the heading can be trusted.
    private var advice: (HeadingAdvice, time: Double)?

    init(edge: EdgeName, interval: Double, origin: BootTime, device: Device, outlet: ReadingOutlet) {
        self.interval = interval
        self.origin = origin
        clock = device.clock
        engine = MotionEngine.of(device)
        self.outlet = outlet
        super.init()
        manager.headingFilter = kCLHeadingFilterNone
        manager.headingOrientation = edge.orientation
        manager.delegate = self
    }

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
        // Regular as long as headings come, without catching up on those that did not.
        due = max((due ?? timestamp) + interval, timestamp + interval / 2)
        outlet.print(HeadingReading(heading, timestamp: timestamp))
        if heading.headingAccuracy >= 0 { advice = nil }
        if let advice, abs(timestamp - advice.time) >= Self.pause { advise(after: advice.0, at: timestamp) }
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
        advise(after: nil, at: origin.secondsTo(clock.now.seconds))
        return false
    }

    /// Says what to do where there is no window that does, and how far it has come.
    private func advise(after earlier: HeadingAdvice?, at time: Double) {
        let now = HeadingAdvice(survey: engine.magneticSurvey)
        advice = (now, time)
        if now.isNews(after: earlier) { outlet.tell(now) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        switch (error as? CLError)?.code {
        // Those are about the position.
        case .locationUnknown, .denied: break
        default: outlet.tell(StreamFailure(stream: .heading, error: error))
        }
    }
}
