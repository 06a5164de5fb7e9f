// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// The heading state of a manager, which also decides which headings and failures are delivered.
struct HeadingState: Sendable {
    /// The time for which a heading from the device's own magnetometer suppresses a gpsd compass, in seconds.
    static let ownHeadingAge = 2.0
    /// The time without a heading after the start that counts as a failure, in seconds.
    static let patience = 10.0

    // Set by the app.
    /// In degrees.
    var filter: Double = 1
    var orientation = CLDeviceOrientation.portrait
    private(set) var isRunning = false
    /// The number of the current start, because a timeout may belong to an earlier start.
    private(set) var run: UInt32 = 0
    /// True if the device's own sensors cannot provide a heading. A gpsd compass is used in this case.
    var needsCompass = false
    /// The last delivered heading.
    var heading: CLHeading?
    /// The declination at the position of the location updates.
    var declination = LocalDeclination()

    private var axis = HeadingAxis()
    private var evenness = FieldEvenness()
    private var corrections: UInt32 = 0
    private var seen = Seen()

    /// The state since the start of the service.
    private struct Seen {
        var passed = HeadingFilter()
        var disturbance = DisturbanceWatch()
        var question = CalibrationQuestion()
        var lost: Set<SensorKind> = []
        var lastOwnHeading: BootTime?
        var hasHeading = false
        var isFailed = false
    }

    // MARK: Start and stop

    /// Starts the service. The filter accepts the first heading.
    mutating func start(needsCompass: Bool) {
        isRunning = true
        run &+= 1
        self.needsCompass = needsCompass
        seen = Seen()
    }

    mutating func stop() {
        isRunning = false
        seen = Seen()
    }

    // MARK: Readings

    /// Processes a state of the motion engine.
    /// - Parameter knowsPlace: True while location updates are running, so that the app may receive a true heading.
    mutating func take(_ state: FusedState, knowsPlace: Bool, clock: any DeviceClock, mailbox: inout Mailbox) {
        // A heading that only the gyroscope maintains is not delivered.
        guard isRunning, seen.lost.isEmpty, let attitude = state.magneticAttitude, let field = state.magneticField
        else {
            return
        }
        seen.lastOwnHeading = state.time
        seen.hasHeading = true
        seen.isFailed = false
        let (heading, flatness) = axis.direction(of: orientation.topEdge, attitude: attitude)
        // The field measured with another calibration is not comparable.
        if state.magneticCorrections != corrections { evenness = FieldEvenness() }
        corrections = state.magneticCorrections
        if !state.isMagneticallyDisturbed {
            let level = attitude.rotate(field)
            evenness.add(heading: heading, horizontal: (level.x * level.x + level.y * level.y).squareRoot())
        }
        let deviation = state.magneticQuality == .uncalibrated ? evenness.deviation : nil
        var values = CLHeading.Values(
            magneticHeading: heading,
            trueHeading: HeadingConversion.trueHeading(
                magnetic: heading, declination: knowsPlace ? declination.degrees() : nil),
            headingAccuracy: HeadingConversion.accuracy(
                uncertainty: state.headingUncertainty,
                calibrationError: HeadingConversion.calibrationError(state.magneticQuality, deviation: deviation),
                flatness: flatness, isDisturbed: state.isMagneticallyDisturbed),
            x: field.x * HeadingConversion.microteslaPerGauss,
            y: field.y * HeadingConversion.microteslaPerGauss,
            z: field.z * HeadingConversion.microteslaPerGauss,
            timestamp: 0)
        if seen.disturbance.update(isDisturbed: state.isMagneticallyDisturbed, now: state.time) {
            mailbox.add(.headingFailure(CLError(.headingFailure)))
        }
        if seen.question.isDue(isTrusted: values.headingAccuracy >= 0, now: state.time) {
            mailbox.add(.calibrationQuestion)
        }
        guard seen.passed.accept(values, filter: filter) else { return }
        values.timestamp = clock.wallTime.advanced(bySeconds: state.time.seconds(since: clock.now)).sinceReferenceDate
        mailbox.add(CLHeading(values, time: state.time))
    }

    /// Processes a report of a compass. It is ignored while the device's own magnetometer provides headings.
    /// - Parameter deviceDeclination: Returns the declination at the last known position of the device, in degrees.
    ///   Called only if it is needed.
    mutating func take(
        _ report: AttitudeReport, knowsPlace: Bool, clock: any DeviceClock, mailbox: inout Mailbox,
        deviceDeclination: () -> Double?
    ) {
        guard isRunning, !hasOwnHeading(now: report.arrival) else { return }
        let declination = knowsPlace ? declination.degrees() : nil
        let values = HeadingConversion.values(
            of: report, orientation: orientation, declination: declination,
            deviceDeclination: declination ?? deviceDeclination(), fallbackTime: clock.wallTime)
        guard let values else { return }
        seen.hasHeading = true
        seen.isFailed = false
        guard seen.passed.accept(values, filter: filter) else { return }
        let compass = report.receiver.isEmpty ? nil : report.receiver
        mailbox.add(CLHeading(values, compass: compass, time: report.arrival))
    }

    /// Reports that no heading is available, once until a heading is available again.
    mutating func fail(_ error: DeviceError, mailbox: inout Mailbox) {
        guard isRunning, !seen.isFailed else { return }
        seen.isFailed = true
        seen.passed = HeadingFilter()
        seen.disturbance = DisturbanceWatch()
        mailbox.add(.headingFailure(CLError(.headingFailure, cause: error)))
    }

    /// Handles the loss of a sensor. Without the magnetometer or the accelerometer, a compass may provide headings
    /// immediately.
    mutating func lose(_ sensor: SensorKind, _ error: DeviceError, mailbox: inout Mailbox) {
        // Headings remain available without the gyroscope and the barometer.
        guard isRunning, sensor == .magnetometer || sensor == .accelerometer else { return }
        fail(error, mailbox: &mailbox)
        seen.lost.insert(sensor)
        seen.lastOwnHeading = nil
        needsCompass = true
    }

    /// Handles the recovery of a sensor.
    mutating func regain(_ sensor: SensorKind) {
        seen.lost.remove(sensor)
    }

    /// Reports a failure if the given start has not produced a heading before its timeout.
    mutating func timeOut(run: UInt32, mailbox: inout Mailbox) {
        guard run == self.run, !seen.hasHeading else { return }
        fail(.noHeading, mailbox: &mailbox)
    }

    /// Returns whether the device's own magnetometer provides headings at the moment.
    func hasOwnHeading(now: BootTime) -> Bool {
        seen.lastOwnHeading.map { now.seconds(since: $0) <= Self.ownHeadingAge } ?? false
    }
}

extension DeviceError {
    fileprivate static var noHeading: DeviceError {
        DeviceError(
            .notFound,
            "Neither a magnetometer with an accelerometer nor a compass of gpsd provides a heading. Run `sensorctl list` to see the available sensors."
        )
    }
}
