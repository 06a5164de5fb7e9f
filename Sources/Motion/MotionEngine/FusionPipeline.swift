// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// Computes fused states from sensor samples, using the aligner, the attitude filter and the calibrator.
///
/// `@unchecked Sendable` because the engine accesses its pipeline only under its lock. The pipeline is a class because
/// copying its parts on every access would be expensive.
final class FusionPipeline: @unchecked Sendable {
    /// The maximum age of the accelerometer reading in a state, in seconds. A magnetometer reading may be twice as old.
    private static let maximumReadingAge = 0.5
    /// Standard gravity in m/s² (CGPM 1901).
    private static let standardGravity = 9.80665
    /// The relative change in the corrected field above which a new calibration restarts the filter's heading
    /// estimation.
    private static let maximumFieldChange = 0.02
    /// The 95 % uncertainty of the heading, in radians, above which the magnetic quality is at most `low`.
    private static let maximumHeadingUncertainty = 20 * Double.pi / 180

    @exclusivity(unchecked) private(set) var aligner = SampleAligner()
    @exclusivity(unchecked) private(set) var filter = AttitudeFilter()
    @exclusivity(unchecked) private(set) var calibrator = MagnetometerCalibrator()
    /// The calibration that was last applied, kept to detect whether a new one has a different correction.
    @exclusivity(unchecked) private var calibration: MagneticCalibration
    @exclusivity(unchecked) private(set) var earth = EarthField()
    var accelerometerCorrection: SensorCalibration?
    private var correctionCount: UInt32 = 0
    /// The filter's `reinitializationCount` when the calibrator was last notified of a reinitialization.
    private var reinitializationCount: UInt32 = 0
    @exclusivity(unchecked) private var history = AttitudeHistory()
    /// The origin of the filter's timestamps, chosen to keep them small and therefore precise.
    private var origin: BootTime?
    /// The time of the gyroscope sample that triggered the current state, or nil if an accelerometer sample triggered
    /// it.
    private var gyroscopeTime: BootTime?
    private var acceleration: (value: SIMD3<Double>, time: BootTime)?
    private var field: (value: SIMD3<Double>, time: BootTime)?
    /// The filter's cached attitude, or nil if it has not been read since the last gyroscope or accelerometer sample.
    private var cachedAttitude: Quaternion?
    /// True if the calibrator has changed the correction since the initial calibration was set.
    private(set) var hasCalibrated = false
    /// True once the filter has processed a gyroscope sample after becoming ready. Until then, the filter's bias is not
    /// an estimate.
    private(set) var hasBias = false

    init() { calibration = calibrator.calibration }

    // MARK: Input

    func expect(_ sensor: SampleAligner.Sensor, _ isExpected: Bool) {
        aligner.setExpected(sensor, isExpected)
        if !isExpected { clear(sensor) }
    }

    func setLatency(seconds: Double) { aligner.latency = max(0, Int64(saturatingSeconds: seconds) ?? 0) }

    func process(_ batch: MotionBatch, into states: inout [FusedState]) {
        guard let sensor = SampleAligner.Sensor(batch.kind) else { return }
        if origin == nil { origin = batch.times.first }
        aligner.add(sensor, values: batch.values, times: batch.times, arrival: batch.arrival)
        run(into: &states)
    }

    func recordLoss(of sensor: SampleAligner.Sensor, into states: inout [FusedState]) {
        aligner.recordLoss(of: sensor)
        run(into: &states)
        clear(sensor)
    }

    func recordRecovery(of sensor: SampleAligner.Sensor) { aligner.recordRecovery(of: sensor) }

    func flush(into states: inout [FusedState]) {
        aligner.flush()
        run(into: &states)
    }

    /// Completes the waiting states if the oldest waiting sample arrived at or before `limit`.
    func advance(to now: BootTime, heldSince limit: BootTime, into states: inout [FusedState]) {
        aligner.recordArrival(now)
        if let since = aligner.waitingSince, since <= limit { aligner.flush() }
        run(into: &states)
    }

    /// Discards all samples, but keeps the filter and the calibrations.
    func reset() {
        aligner.restart()
        history.removeAll()
        (gyroscopeTime, acceleration, field) = (nil, nil, nil)
    }

    private func clear(_ sensor: SampleAligner.Sensor) {
        switch sensor {
        case .gyroscope: history.removeAll()
        case .accelerometer: acceleration = nil
        case .magnetometer: field = nil
        }
    }

    // MARK: Calibrations

    func setInitialBias(_ bias: SIMD3<Double>, sigma: Double) { filter.setInitialBias(bias, sigma: sigma) }

    func setInitialCalibration(_ calibration: MagneticCalibration?) {
        calibrator = MagnetometerCalibrator(start: calibration)
        hasCalibrated = false
        applyCalibration()
    }

    func updateEarthField(for fix: PositionFix?, now: BootTime, wallTime: WallTime) {
        if earth.update(for: fix, now: now, wallTime: wallTime) { expectField() }
    }

    private func expectField() {
        guard let strength = earth.strength else { return }
        calibrator.setExpectedField(strength: strength, dip: earth.dip)
        let calibration = calibrator.calibration
        // The measured field strength can be compared with the expected one only after a good fit. Until then, the
        // readings include the device's own field and the sensor's scale error.
        guard calibration.quality >= .medium, calibration.fieldStrength.isFinite,
            abs(calibration.fieldStrength / strength - 1) < 0.2
        else { return }
        filter.setExpectedField(strength: calibration.fieldStrength, dip: earth.dip)
    }

    // MARK: Processing

    var interval: Double? { aligner.interval.map { Double($0) / 1e9 } }
    var waitingSince: BootTime? { aligner.waitingSince }

    private func run(into states: inout [FusedState]) {
        while let step = aligner.next() {
            switch step {
            case .gyroscope(let rate, let time):
                gyroscopeTime = time
                filter.updateGyroscope(rate, timestamp: seconds(time))
                cachedAttitude = nil
                hasBias = filter.isReady
                history.add(attitude, at: time)
            case .accelerometer(let measured, let time):
                let value = accelerometerCorrection?.apply(to: measured) ?? measured
                if value.isFinite { acceleration = (value, time) }
                filter.updateAccelerometer(rotatedToCurrentAxes(value, measuredAt: time), timestamp: seconds(time))
                cachedAttitude = nil
            case .magnetometer(let measured, let time): processField(measured, time)
            case .state(let time):
                // Replaces the entry that was added before the accelerometer corrected the attitude.
                if let gyroscopeTime { history.add(attitude, at: gyroscopeTime) }
                if filter.isReady { states.append(state(at: time)) }
                gyroscopeTime = nil
            }
        }
    }

    private var attitude: Quaternion {
        if let cachedAttitude { return cachedAttitude }
        let attitude = filter.attitude
        cachedAttitude = attitude
        return attitude
    }

    private func seconds(_ time: BootTime) -> Double { time.seconds(since: origin ?? .zero) }

    /// Rotates a reading from the device axes at the time of the measurement to the current device axes.
    private func rotatedToCurrentAxes(_ value: SIMD3<Double>, measuredAt time: BootTime) -> SIMD3<Double> {
        guard let gyroscopeTime, time != gyroscopeTime, filter.isReady, let pastAttitude = history.attitude(at: time)
        else { return value }
        return attitude.conjugate.rotate(pastAttitude.rotate(value))
    }

    private func processField(_ measured: SIMD3<Double>, _ time: BootTime) {
        let isCurrent = gyroscopeTime == time
        var attitude: Quaternion?
        if gyroscopeTime != nil, filter.isReady {
            attitude = isCurrent ? self.attitude : history.attitude(at: time) ?? self.attitude
        }
        if filter.reinitializationCount != reinitializationCount {
            reinitializationCount = filter.reinitializationCount
            calibrator.recordInterruption(timestamp: seconds(time))
        }
        if calibrator.update(measured, attitude: attitude, bias: filter.bias, timestamp: seconds(time)) {
            if !calibrator.calibration.hasSameCorrection(as: calibration) { hasCalibrated = true }
            applyCalibration()
        }
        let value = calibrator.corrected(measured)
        if value.isFinite { field = (value, time) }
        let pastAttitude = isCurrent || gyroscopeTime == nil ? nil : history.attitude(at: time)
        filter.updateMagnetometer(value, timestamp: seconds(time), attitude: pastAttitude)
    }

    private func applyCalibration() {
        let former = exchange(&calibration, with: calibrator.calibration)
        if !calibration.hasSameCorrection(as: former) {
            correctionCount &+= 1
            let difference = calibration.difference(from: former)
            // An unknown difference is NaN. The condition is negated so that it is also true for NaN.
            if !(difference <= Self.maximumFieldChange) {
                filter.restartMagnetometer(strength: calibration.fieldStrength, dip: calibration.dip)
            }
        }
        expectField()
    }

    /// Combines the filter's uncertainty with the remaining calibration error, in radians.
    private var headingUncertainty: Double? {
        guard let filterUncertainty = filter.headingUncertainty else { return nil }
        let calibrationUncertainty = calibrator.headingDeviation.isNaN ? 0 : 2 * calibrator.headingDeviation
        return min(
            .pi, (filterUncertainty * filterUncertainty + calibrationUncertainty * calibrationUncertainty).squareRoot())
    }

    /// The calibrator's quality, limited to `low` if the heading is very uncertain, because the field may be disturbed.
    private var magneticQuality: MagneticQuality {
        let quality = calibrator.quality
        // Without an expected field, the filter cannot detect a disturbance.
        guard filter.isFieldExpected, let uncertainty = filter.headingUncertainty,
            uncertainty > Self.maximumHeadingUncertainty
        else { return quality }
        return min(quality, .low)
    }

    private func state(at time: BootTime) -> FusedState {
        var state = FusedState(time: time)
        state.attitude = attitude
        state.northOffset = filter.northOffset
        state.headingUncertainty = state.northOffset == nil ? nil : headingUncertainty
        state.declination = earth.declination
        state.usesGyroscope = gyroscopeTime != nil
        if gyroscopeTime != nil { state.rotationRate = filter.rotationRate }
        if let acceleration,
            abs(time.seconds(since: acceleration.time)) <= Self.maximumReadingAge || gyroscopeTime == nil
        {
            state.acceleration = acceleration.value
        } else {
            // Without a recent accelerometer reading, the device is assumed not to be accelerating.
            state.acceleration = state.up * Self.standardGravity
        }
        if let field, abs(time.seconds(since: field.time)) <= 2 * Self.maximumReadingAge {
            state.magneticField = field.value
            state.magneticQuality = magneticQuality
            state.magneticCorrections = correctionCount
            state.isMagneticallyDisturbed = filter.isFieldExpected && filter.isMagneticallyDisturbed
        }
        state.isResting = filter.isResting
        return state
    }
}
