// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// From samples to states: the aligner, the attitude filter and the calibrator, without threads and subscribers.
///
/// One belongs to one engine, which touches it under its lock and nowhere else. An object, because its parts are some
/// kilobytes, which were copied whenever one of them was looked at.
/// That nobody else touches them meanwhile is the lock's business, so that it need not be checked at each access.
final class FusionPipeline: @unchecked Sendable {
    /// Seconds for which a reading of a sensor stands for the ones that do not come.
    private static let freshness = 0.5
    /// Metres per second squared (CGPM 1901).
    private static let standardGravity = 9.80665
    /// A correction that moves the field by more than that part of it makes another field, to the filter.
    private static let jump = 0.02
    /// Radians, 95 %: a heading that is known no better has no accuracy to speak of.
    private static let roughHeading = 20 * Double.pi / 180

    @exclusivity(unchecked) private(set) var aligner = SampleAligner()
    @exclusivity(unchecked) private(set) var filter = AttitudeFilter()
    @exclusivity(unchecked) private(set) var calibrator = MagnetometerCalibrator()
    /// The calibrator's, as the filter knows it: a copy for each sample would cost more than to compare it.
    @exclusivity(unchecked) private var calibration: MagneticCalibration
    @exclusivity(unchecked) private(set) var earth = EarthField()
    /// What corrects the accelerometer's readings, in the device's axes; nil for nothing.
    var accelerometerCorrection: SensorCalibration?
    /// How often what corrects the field has changed.
    private var corrections: UInt32 = 0
    /// Of the filter, when the calibrator was told last.
    private var timesFound: UInt32 = 0
    @exclusivity(unchecked) private var history = AttitudeHistory()
    /// Times are counted from here, which keeps them precise.
    private var origin: BootTime?
    /// The time of the state that is being made, while samples of the gyroscope make states.
    private var turning: BootTime?
    private var acceleration: (value: SIMD3<Double>, time: BootTime)?
    private var field: (value: SIMD3<Double>, time: BootTime)?
    /// The filter's attitude since its last sample of gyroscope or accelerometer, the only ones that change it; nil before
    /// somebody has asked.
    private var presentAttitude: Quaternion?
    /// True once a calibration has come into force that was not there at the start.
    private(set) var hasCalibrated = false

    init() { calibration = calibrator.calibration }

    // MARK: What comes in

    func expect(_ sensor: SampleAligner.Sensor, _ isExpected: Bool) {
        aligner.expect(sensor, isExpected)
        if !isExpected { forget(sensor) }
    }

    func setLatency(seconds: Double) { aligner.latency = max(0, Int64(saturatingSeconds: seconds) ?? 0) }

    /// Takes the samples of a batch and adds the states that can be made now.
    func take(_ batch: MotionBatch, into states: inout [FusedState]) {
        guard let sensor = SampleAligner.Sensor(batch.kind) else { return }
        if origin == nil { origin = batch.times.first }
        aligner.add(sensor, values: batch.values, times: batch.times, arrival: batch.arrival)
        run(into: &states)
    }

    /// The sensor gives nothing for now.
    func lose(_ sensor: SampleAligner.Sensor, into states: inout [FusedState]) {
        aligner.lose(sensor)
        run(into: &states)
        forget(sensor)
    }

    /// The sensor is back.
    func regain(_ sensor: SampleAligner.Sensor) { aligner.regain(sensor) }

    /// Nothing follows for now.
    func release(into states: inout [FusedState]) {
        aligner.release()
        run(into: &states)
    }

    /// Time has passed: samples that came in before that wait no longer.
    func pass(to now: BootTime, heldSince limit: BootTime, into states: inout [FusedState]) {
        aligner.note(arrival: now)
        if let since = aligner.waitingSince, since <= limit { aligner.release() }
        run(into: &states)
    }

    /// Nobody listens any more. What has been learned stays.
    func pause() {
        aligner.restart()
        history.removeAll()
        (turning, acceleration, field) = (nil, nil, nil)
    }

    private func forget(_ sensor: SampleAligner.Sensor) {
        switch sensor {
        case .gyroscope: history.removeAll()
        case .accelerometer: acceleration = nil
        case .magnetometer: field = nil
        }
    }

    // MARK: What has been learned before

    /// Begins with a gyroscope's bias, in radians per second.
    func startBias(_ bias: SIMD3<Double>, sigma: Double) { filter.startBias(bias, sigma: sigma) }

    /// True when the filter knows something of the gyroscope's bias that it was not told.
    private(set) var hasBias = false

    /// Begins with a magnetometer's calibration; nil for none.
    func startCalibration(_ calibration: MagneticCalibration?) {
        calibrator = MagnetometerCalibrator(start: calibration)
        hasCalibrated = false
        follow()
    }

    /// True when it is time to look at the position.
    func isPositionDue(at now: BootTime) -> Bool { earth.isDue(at: now) }

    /// Takes the position that the device was seen at last.
    func look(at fix: PositionFix?, now: BootTime, wallTime: WallTime) {
        if earth.look(at: fix, now: now, wallTime: wallTime) { expectField() }
    }

    /// Tells filter and calibrator what field there is to expect.
    private func expectField() {
        guard let strength = earth.strength else { return }
        calibrator.expectField(strength: strength, dip: earth.dip)
        let calibration = calibrator.calibration
        // Without a good fit the device's own field and the sensor's scale are in the reading: it says nothing then to
        // compare its strength. With one, the scale that is left is in the strength of the fit.
        guard calibration.quality >= .medium, calibration.fieldStrength.isFinite,
            abs(calibration.fieldStrength / strength - 1) < 0.2
        else { return }
        filter.expectField(strength: calibration.fieldStrength, dip: earth.dip)
    }

    // MARK: From samples to states

    /// Seconds between states at the pace of late; nil when not known.
    var interval: Double? { aligner.interval.map { Double($0) / 1e9 } }

    /// When the oldest sample came in of those that wait for others; nil when none does.
    var waitingSince: BootTime? { aligner.waitingSince }

    private func run(into states: inout [FusedState]) {
        while let step = aligner.next() {
            switch step {
            case .gyroscope(let rate, let time):
                turning = time
                filter.updateGyroscope(rate, timestamp: seconds(time))
                presentAttitude = nil
                hasBias = filter.isReady
                history.add(attitude, at: time)
            case .accelerometer(let measured, let time):
                let value = accelerometerCorrection?.apply(to: measured) ?? measured
                if Self.isFinite(value) { acceleration = (value, time) }
                filter.updateAccelerometer(nowadays(value, measuredAt: time), timestamp: seconds(time))
                presentAttitude = nil
            case .magnetometer(let measured, let time): takeField(measured, time)
            case .state(let time):
                if let turning { history.add(attitude, at: turning) }
                if filter.isReady { states.append(state(at: time)) }
                turning = nil
            }
        }
    }

    /// The filter's attitude, which takes some time to compute.
    private var attitude: Quaternion {
        if let presentAttitude { return presentAttitude }
        let attitude = filter.attitude
        presentAttitude = attitude
        return attitude
    }

    private static func isFinite(_ value: SIMD3<Double>) -> Bool {
        value.x.isFinite && value.y.isFinite && value.z.isFinite
    }

    private func seconds(_ time: BootTime) -> Double { time.seconds(since: origin ?? .zero) }

    /// The reading in the axes that the device has at the time of the state, when it was measured at another time.
    private func nowadays(_ value: SIMD3<Double>, measuredAt time: BootTime) -> SIMD3<Double> {
        guard let turning, time != turning, filter.isReady, let then = history.attitude(at: time) else { return value }
        return attitude.conjugate.rotate(then.rotate(value))
    }

    private func takeField(_ measured: SIMD3<Double>, _ time: BootTime) {
        let isOfNow = turning == time
        var attitude: Quaternion?
        if turning != nil, filter.isReady {
            attitude = isOfNow ? self.attitude : history.attitude(at: time) ?? self.attitude
        }
        if filter.timesFound != timesFound {
            timesFound = filter.timesFound
            calibrator.noteInterruption(timestamp: seconds(time))
        }
        if calibrator.update(measured, attitude: attitude, bias: filter.bias, timestamp: seconds(time)) {
            if !calibrator.calibration.correctsTheSame(as: calibration) { hasCalibrated = true }
            follow()
        }
        let value = calibrator.corrected(measured)
        if Self.isFinite(value) { field = (value, time) }
        let then = isOfNow || turning == nil ? nil : history.attitude(at: time)
        filter.updateMagnetometer(value, timestamp: seconds(time), attitude: then)
    }

    /// Tells the filter of another calibration.
    private func follow() {
        let former = exchange(&calibration, with: calibrator.calibration)
        if !calibration.correctsTheSame(as: former) {
            corrections &+= 1
            let difference = calibration.difference(from: former)
            // Also when nothing is known of how far it went.
            if !(difference <= Self.jump) {
                filter.restartMagnetometer(strength: calibration.fieldStrength, dip: calibration.dip)
            }
        }
        expectField()
    }

    /// Radians: that of the filter, and what the calibration leaves as the device is held.
    private var headingUncertainty: Double? {
        guard let own = filter.headingUncertainty else { return nil }
        let left = calibrator.headingDeviation.isNaN ? 0 : 2 * calibrator.headingDeviation
        return min(.pi, (own * own + left * left).squareRoot())
    }

    /// That of the calibration, unless the filter itself hardly knows the heading: a field that is not the earth's tells
    /// nobody where north is.
    private var magneticQuality: MagneticQuality {
        let quality = calibrator.quality
        // Before a field is expected the filter knows of nothing to doubt.
        guard filter.isFieldExpected, let uncertainty = filter.headingUncertainty, uncertainty > Self.roughHeading
        else {
            return quality
        }
        return min(quality, .low)
    }

    private func state(at time: BootTime) -> FusedState {
        var state = FusedState(time: time)
        state.attitude = attitude
        state.northOffset = filter.northOffset
        state.headingUncertainty = state.northOffset == nil ? nil : headingUncertainty
        state.declination = earth.declination
        state.usesGyroscope = turning != nil
        if turning != nil { state.rotationRate = filter.rotationRate }
        if let acceleration, abs(time.seconds(since: acceleration.time)) <= Self.freshness || turning == nil {
            state.acceleration = acceleration.value
        } else {
            // Without an accelerometer nothing is known of how the device is moved.
            state.acceleration = state.up * Self.standardGravity
        }
        if let field, abs(time.seconds(since: field.time)) <= 2 * Self.freshness {
            state.magneticField = field.value
            state.magneticQuality = magneticQuality
            state.magneticCorrections = corrections
            state.isMagneticallyDisturbed = filter.isFieldExpected && filter.isMagneticallyDisturbed
        }
        state.isResting = filter.isResting
        return state
    }
}
