// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// What one manager knows of the heading, and what of that the program shall hear. A part of the manager's state.
struct HeadingState: Sendable {
    /// Seconds for which a heading of the device's own magnetometer keeps a compass of gpsd silent.
    static let ownHeadingAge = 2.0
    /// Seconds without any heading after the start that count as a failure.
    static let patience = 10.0

    // What the program has set.
    /// Degrees.
    var filter: Double = 1
    var orientation = CLDeviceOrientation.portrait
    private(set) var isRunning = false
    /// Which start of the service this is: a time-out may be that of an earlier one.
    private(set) var run: UInt32 = 0
    /// True when there is no magnetometer to tell a heading: a compass of gpsd may.
    var needsCompass = false
    /// The last one that was delivered.
    var heading: CLHeading?
    /// The declination where the location updates have found the device.
    var declination = LocalDeclination()

    private var axis = HeadingAxis()
    private var evenness = FieldEvenness()
    private var corrections: UInt32 = 0
    private var seen = Seen()

    /// What has been seen since the service was started.
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

    /// Begins; the next heading goes through whatever it is.
    mutating func start(needsCompass: Bool) {
        isRunning = true
        run &+= 1
        self.needsCompass = needsCompass
        seen = Seen()
    }

    /// Ends.
    mutating func stop() {
        isRunning = false
        seen = Seen()
    }

    // MARK: What comes in

    /// Takes a state of the engine.
    /// - Parameter knowsPlace: True while location updates run, so that the program may have a true heading.
    mutating func take(_ state: FusedState, knowsPlace: Bool, clock: any DeviceClock, mailbox: inout Mailbox) {
        // What a gyroscope carries on without the others is no compass.
        guard isRunning, seen.lost.isEmpty, let attitude = state.magneticAttitude, let field = state.magneticField
        else {
            return
        }
        seen.lastOwnHeading = state.time
        seen.hasHeading = true
        seen.isFailed = false
        let (heading, flatness) = axis.direction(of: orientation.topEdge, attitude: attitude)
        // What was seen through another calibration says nothing of this one.
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

    /// Takes a report of a compass; nothing comes of it while the device's own magnetometer tells the heading.
    /// - Parameter deviceDeclination: Degrees where the device was last seen by anybody; asked when it is needed.
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

    /// There is no heading for now: told once, until there is one again.
    mutating func fail(_ error: DeviceError, mailbox: inout Mailbox) {
        guard isRunning, !seen.isFailed else { return }
        seen.isFailed = true
        seen.passed = HeadingFilter()
        seen.disturbance = DisturbanceWatch()
        mailbox.add(.headingFailure(CLError(.headingFailure, cause: error)))
    }

    /// One of the device's own sensors is lost; without the magnetometer or the accelerometer a compass may tell the
    /// heading at once.
    mutating func lose(_ sensor: SensorKind, _ error: DeviceError, mailbox: inout Mailbox) {
        // Without the gyroscope and the barometer there are headings still.
        guard isRunning, sensor == .magnetometer || sensor == .accelerometer else { return }
        fail(error, mailbox: &mailbox)
        seen.lost.insert(sensor)
        seen.lastOwnHeading = nil
        needsCompass = true
    }

    /// One of them is back.
    mutating func regain(_ sensor: SensorKind) {
        seen.lost.remove(sensor)
    }

    /// Time is up for the first heading of that start.
    mutating func timeOut(run: UInt32, mailbox: inout Mailbox) {
        guard run == self.run, !seen.hasHeading else { return }
        fail(.noHeading, mailbox: &mailbox)
    }

    /// True while the device's own magnetometer tells the heading.
    func hasOwnHeading(now: BootTime) -> Bool {
        seen.lastOwnHeading.map { now.seconds(since: $0) <= Self.ownHeadingAge } ?? false
    }
}

extension DeviceError {
    fileprivate static var noHeading: DeviceError {
        DeviceError(
            .notFound,
            "Neither a magnetometer with an accelerometer nor a compass of gpsd has told a heading. Check with `sensorctl list` what there is."
        )
    }
}
