// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import MotionEngine

/// Prints a location manager's callbacks. Must be used on the main thread.
final class LocationListener: NSObject, CLLocationManagerDelegate, StreamListener {
    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let clock: any DeviceClock

    /// - Parameter clock: The clock that provides the time for callbacks without a timestamp.
    init(clock: any DeviceClock, everyReport: Bool = false, receiver: String? = nil, outlet: ReadingOutlet) {
        (self.clock, self.outlet) = (clock, outlet)
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
        let wanted = outlet.count(locations.count)
        if wanted > 0 { outlet.print(counted: LocationsReading(locations: Array(locations.prefix(wanted)))) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        outlet.printUncounted(LocationFailure(error: error, time: clock.wallTime))
        if (error as? CLError)?.code == .denied { outlet.stopUnauthorized() }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        outlet.printUncounted(
            AuthorizationReading(
                status: manager.authorizationStatus, accuracy: manager.accuracyAuthorization, time: clock.wallTime))
    }
}

/// Prints a location manager's headings. Also requests positions, because without a position, the heading is magnetic
/// rather than true. Must be used on the main thread.
final class HeadingListener: NSObject, CLLocationManagerDelegate, StreamListener {
    /// The minimum interval between repetitions of the calibration advice, in seconds.
    private static let pause = 5.0

    let outlet: ReadingOutlet
    private let manager = CLLocationManager()
    private let interval: Double
    private let origin: BootTime
    private let clock: any DeviceClock
    private let engine: MotionEngine
    private var due: Double?
    /// The last calibration advice and its time, or nil while the heading is reliable.
    private var advice: (HeadingAdvice, time: Double)?

    init(edge: EdgeName, interval: Double, origin: BootTime, device: Device, outlet: ReadingOutlet) {
        (self.interval, self.origin) = (interval, origin)
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
        // Core Location's timestamp is not used, because `Date` lacks nanosecond resolution.
        let timestamp = origin.secondsTo(heading.uptime ?? clock.now.seconds)
        // Skips headings that arrive before the next one is due. A heading that is at least two intervals early is
        // printed, because it means that the trace has restarted.
        if let due, timestamp < due, timestamp > due - 2 * interval { return }
        // The next heading is due one interval after the previous due time, so that the intervals are regular. No
        // attempt is made to catch up after a pause.
        due = max((due ?? timestamp) + interval, timestamp + interval / 2)
        outlet.print(HeadingReading(heading, timestamp: timestamp))
        if heading.headingAccuracy >= 0 { advice = nil }
        if let advice, abs(timestamp - advice.time) >= Self.pause { printAdvice(after: advice.0, at: timestamp) }
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool {
        printAdvice(after: nil, at: origin.secondsTo(clock.now.seconds))
        return false
    }

    /// Prints advice in place of Core Location's calibration display. The advice is repeated only if there has been
    /// progress.
    private func printAdvice(after earlier: HeadingAdvice?, at time: Double) {
        let now = HeadingAdvice(survey: engine.poseCoverage)
        advice = (now, time)
        if now.hasProgress(since: earlier) { outlet.printUncounted(now) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        switch (error as? CLError)?.code {
        // These errors concern the position, not the heading.
        case .locationUnknown, .denied: break
        default: outlet.printUncounted(StreamFailure(stream: .heading, error: error))
        }
    }
}
