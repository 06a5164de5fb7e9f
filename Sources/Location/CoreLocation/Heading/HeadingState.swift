// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// The heading state of a manager, which also decides which headings and failures are delivered.
struct HeadingState: Sendable {
    /// The time for which a heading from the device's own magnetometer suppresses a gpsd compass, in seconds.
    static let magnetometerPriorityTime = 2.0
    /// The time after the start within which a heading has to arrive, in seconds. Otherwise, a failure is reported.
    static let startTimeout = 10.0

    // Set by the app.
    /// In degrees.
    var filter: Double = 1
    var orientation = CLDeviceOrientation.portrait
    private(set) var isRunning = false
    /// The number of the current start. A timeout may belong to an earlier start.
    private(set) var run: UInt32 = 0
    /// True if the device's own sensors cannot provide a heading. A gpsd compass is used in this case.
    var needsCompass = false
    var heading: CLHeading?
    /// The declination at the position of the location updates.
    var declination = LocalDeclination()

    private var axis = HeadingAxis()
    private var evenness = FieldUniformity()
    private var corrections: UInt32 = 0
    private var session = SessionState()

    private struct SessionState {
        var filter = HeadingFilter()
        var disturbance = DisturbanceDetector()
        var question = CalibrationPromptLimiter()
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
        session = SessionState()
    }

    mutating func stop() {
        isRunning = false
        session = SessionState()
    }

    // MARK: Readings

    /// Processes a state of the motion engine.
    mutating func process(
        _ state: FusedState, isPositionKnown: Bool, clock: any DeviceClock,
        pendingCallbacks: inout PendingLocationCallbacks
    ) {
        // A heading that only the gyroscope maintains is not delivered.
        guard isRunning, session.lost.isEmpty, let attitude = state.magneticAttitude, let field = state.magneticField
        else { return }
        session.lastOwnHeading = state.time
        session.hasHeading = true
        session.isFailed = false
        let (heading, flatness) = axis.direction(of: orientation.topEdge, attitude: attitude)
        // Readings with a different calibration are not comparable.
        if state.magneticCorrections != corrections { evenness = FieldUniformity() }
        corrections = state.magneticCorrections
        if !state.isMagneticallyDisturbed {
            let level = attitude.rotate(field)
            evenness.add(heading: heading, horizontal: (level.x * level.x + level.y * level.y).squareRoot())
        }
        let deviation = state.magneticQuality == .uncalibrated ? evenness.deviation : nil
        var values = CLHeading.Values(
            magneticHeading: heading,
            trueHeading: HeadingConversion.trueHeading(
                magnetic: heading, declination: isPositionKnown ? declination.degrees() : nil),
            headingAccuracy: HeadingConversion.accuracy(
                uncertainty: state.headingUncertainty,
                calibrationError: HeadingConversion.calibrationError(state.magneticQuality, deviation: deviation),
                flatness: flatness, isDisturbed: state.isMagneticallyDisturbed),
            x: field.x * HeadingConversion.microteslaPerGauss,
            y: field.y * HeadingConversion.microteslaPerGauss,
            z: field.z * HeadingConversion.microteslaPerGauss,
            timestamp: 0)
        if session.disturbance.update(isDisturbed: state.isMagneticallyDisturbed, now: state.time) {
            pendingCallbacks.add(.headingFailure(CLError(.headingFailure)))
        }
        if session.question.isDue(isTrusted: values.headingAccuracy >= 0, now: state.time) {
            pendingCallbacks.add(.calibrationPrompt)
        }
        guard session.filter.accept(values, filter: filter) else { return }
        values.timestamp = clock.wallTime.advanced(bySeconds: state.time.seconds(since: clock.now)).sinceReferenceDate
        pendingCallbacks.add(CLHeading(values, time: state.time))
    }

    /// Processes a report of a compass, unless the device's own magnetometer provides headings.
    mutating func process(
        _ report: AttitudeReport, isPositionKnown: Bool, clock: any DeviceClock,
        pendingCallbacks: inout PendingLocationCallbacks,
        deviceDeclination: () -> Double?
    ) {
        guard isRunning, !hasMagnetometerHeading(now: report.arrival) else { return }
        let declination = isPositionKnown ? declination.degrees() : nil
        let values = HeadingConversion.values(
            of: report, orientation: orientation, declination: declination,
            deviceDeclination: declination ?? deviceDeclination(), fallbackTime: clock.wallTime)
        guard let values else { return }
        session.hasHeading = true
        session.isFailed = false
        guard session.filter.accept(values, filter: filter) else { return }
        let compass = report.receiver.isEmpty ? nil : report.receiver
        pendingCallbacks.add(CLHeading(values, compass: compass, time: report.arrival))
    }

    /// Reports that no heading is available, at most once until headings are available again.
    mutating func reportFailure(_ error: DeviceError, pendingCallbacks: inout PendingLocationCallbacks) {
        guard isRunning, !session.isFailed else { return }
        session.isFailed = true
        session.filter = HeadingFilter()
        session.disturbance = DisturbanceDetector()
        pendingCallbacks.add(.headingFailure(CLError(.headingFailure, cause: error)))
    }

    /// Handles the loss of a sensor. A compass may then provide headings immediately.
    mutating func handleLoss(
        of sensor: SensorKind, _ error: DeviceError, pendingCallbacks: inout PendingLocationCallbacks
    ) {
        // Headings remain available without the gyroscope and the barometer.
        guard isRunning, sensor == .magnetometer || sensor == .accelerometer else { return }
        reportFailure(error, pendingCallbacks: &pendingCallbacks)
        session.lost.insert(sensor)
        session.lastOwnHeading = nil
        needsCompass = true
    }

    mutating func handleRecovery(of sensor: SensorKind) { session.lost.remove(sensor) }

    /// Reports a failure if the given start has not produced a heading before its timeout.
    mutating func handleTimeout(run: UInt32, pendingCallbacks: inout PendingLocationCallbacks) {
        guard run == self.run, !session.hasHeading else { return }
        reportFailure(.noHeading, pendingCallbacks: &pendingCallbacks)
    }

    /// Returns whether the device's own magnetometer currently provides headings.
    func hasMagnetometerHeading(now: BootTime) -> Bool {
        session.lastOwnHeading.map { now.seconds(since: $0) <= Self.magnetometerPriorityTime } ?? false
    }
}

extension DeviceError {
    fileprivate static let noHeading = DeviceError(
        .notFound,
        "Neither a magnetometer with an accelerometer nor a compass of gpsd provides a heading. Run `sensorctl list` to see the available sensors."
    )
}
