// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// A manager's heading state. Any thread may use it while holding the lock of `LocationClient.state`. Adds headings and
/// failures to `pendingCallbacks`, which are delivered after the lock is released.
struct HeadingState: Sendable {
    /// After each heading from the device's own magnetometer, a gpsd compass is ignored for this many seconds.
    static let magnetometerPriorityTime = 2.0
    /// The time allowed for the first heading, in seconds. If none arrives in time, a failure is reported.
    static let startTimeout = 10.0

    /// The minimum change in direction between delivered headings, in degrees.
    var filter: Double = 1
    var orientation = CLDeviceOrientation.portrait
    private(set) var isRunning = false
    /// A number that increases each time heading updates start. A timeout with an earlier number is ignored.
    private(set) var run: UInt32 = 0
    /// True if a gpsd compass must provide headings because the device's own sensors were unavailable at the start or
    /// later. Stays true after the sensors recover, so the client remains subscribed to the compass until headings
    /// stop.
    private(set) var needsCompass = false
    /// The last delivered heading. `LocationClient.State` sets it when it removes the heading from the queue.
    var heading: CLHeading?
    var declination = LocalDeclination()

    // Of the following properties, `stop()` resets only `session`. The others describe the pose and the measured field,
    // which do not depend on when updates start.
    private var axis = HeadingAxis()
    private var uniformity = FieldUniformity()
    private var lastCorrections: UInt32 = 0
    private var session = SessionState()

    private struct SessionState {
        var filter = HeadingFilter()
        var disturbance = DisturbanceDetector()
        var promptLimiter = CalibrationPromptLimiter()
        var lostSensors: Set<SensorKind> = []
        var lastMagnetometerHeading: BootTime?
        var hasHeading = false
        var isFailed = false
    }

    // MARK: Start and stop

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

    mutating func process(
        _ state: FusedState, allowsTrueHeading: Bool, clock: any DeviceClock,
        pendingCallbacks: inout PendingLocationCallbacks
    ) {
        // Without a magnetic attitude, the heading comes only from the gyroscope and is not delivered.
        guard isRunning, session.lostSensors.isEmpty, let attitude = state.magneticAttitude,
            let field = state.magneticField
        else { return }
        session.lastMagnetometerHeading = state.time
        session.hasHeading = true
        session.isFailed = false
        let (heading, flatness) = axis.direction(of: orientation.topEdge, attitude: attitude)
        // If the calibration has changed, earlier field strengths cannot be compared with new ones.
        if state.magneticCorrections != lastCorrections { uniformity = FieldUniformity() }
        lastCorrections = state.magneticCorrections
        if !state.isMagneticallyDisturbed {
            let level = attitude.rotate(field)
            uniformity.add(heading: heading, horizontal: (level.x * level.x + level.y * level.y).squareRoot())
        }
        let deviation = state.magneticQuality == .uncalibrated ? uniformity.deviation : nil
        let microtesla = field * HeadingConversion.microteslaPerGauss
        var values = CLHeading.Values(
            magneticHeading: heading,
            trueHeading: HeadingConversion.trueHeading(
                magnetic: heading, declination: allowsTrueHeading ? declination.degrees() : nil),
            headingAccuracy: HeadingConversion.accuracy(
                uncertainty: state.headingUncertainty,
                calibrationError: HeadingConversion.calibrationError(state.magneticQuality, deviation: deviation),
                flatness: flatness, isDisturbed: state.isMagneticallyDisturbed),
            x: microtesla.x, y: microtesla.y, z: microtesla.z, timestamp: 0)
        if session.disturbance.update(isDisturbed: state.isMagneticallyDisturbed, now: state.time) {
            pendingCallbacks.add(.headingFailure(CLError(.headingFailure)))
        }
        if session.promptLimiter.isDue(isTrusted: values.headingAccuracy >= 0, now: state.time) {
            pendingCallbacks.add(.calibrationPrompt)
        }
        guard session.filter.accept(values, filter: filter) else { return }
        values.timestamp = clock.wallTime.advanced(bySeconds: state.time.seconds(since: clock.now)).sinceReferenceDate
        pendingCallbacks.add(CLHeading(values, time: state.time))
    }

    /// Processes a report from a gpsd compass. Ignores it while the device's own magnetometer provides headings.
    /// `deviceDeclination` is called with the lock held, and only if the manager's own declination is unknown.
    mutating func process(
        _ report: AttitudeReport, allowsTrueHeading: Bool, clock: any DeviceClock,
        pendingCallbacks: inout PendingLocationCallbacks, deviceDeclination: () -> Double?
    ) {
        guard isRunning, !hasMagnetometerHeading(now: report.arrival) else { return }
        let declination = allowsTrueHeading ? declination.degrees() : nil
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

    /// Reports that no heading is available. Ignores further failures until a heading is available again.
    mutating func reportFailure(_ error: DeviceError, pendingCallbacks: inout PendingLocationCallbacks) {
        guard isRunning, !session.isFailed else { return }
        session.isFailed = true
        session.filter = HeadingFilter()
        session.disturbance = DisturbanceDetector()
        pendingCallbacks.add(.headingFailure(CLError(.headingFailure, cause: error)))
    }

    /// If headings depend on the lost sensor, reports a failure and immediately starts accepting headings from a gpsd
    /// compass.
    mutating func handleLoss(
        of sensor: SensorKind, _ error: DeviceError, pendingCallbacks: inout PendingLocationCallbacks
    ) {
        // Headings need neither the gyroscope nor the barometer.
        guard isRunning, sensor == .magnetometer || sensor == .accelerometer else { return }
        reportFailure(error, pendingCallbacks: &pendingCallbacks)
        session.lostSensors.insert(sensor)
        session.lastMagnetometerHeading = nil
        needsCompass = true
    }

    mutating func handleRecovery(of sensor: SensorKind) { session.lostSensors.remove(sensor) }

    mutating func handleTimeout(run: UInt32, pendingCallbacks: inout PendingLocationCallbacks) {
        guard run == self.run, !session.hasHeading else { return }
        reportFailure(.noHeading, pendingCallbacks: &pendingCallbacks)
    }

    func hasMagnetometerHeading(now: BootTime) -> Bool {
        session.lastMagnetometerHeading.map { now.seconds(since: $0) <= Self.magnetometerPriorityTime } ?? false
    }
}

extension DeviceError {
    fileprivate static let noHeading = DeviceError(
        .notFound,
        "Neither a magnetometer with an accelerometer nor a compass of gpsd provides a heading. Run `sensorctl list` to see the available sensors."
    )
}
