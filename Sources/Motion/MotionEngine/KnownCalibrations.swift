// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// The sensors in use and their stored calibrations. `MotionEngine` guards this value with its lock.
struct KnownCalibrations: Sendable {
    struct KnownSensor: Sendable {
        var id: SensorDescription.ID
        var identity: SensorIdentity
        var mountMatrix: MountMatrix
        /// The stored calibration in device axes, or nil if there is none.
        var stored: SensorCalibration?
    }

    /// A calibration to store, in sensor axes.
    struct StoreTask: Sendable {
        var identity: SensorIdentity
        var calibration: SensorCalibration
    }

    /// Indexed by `Sensor.rawValue`. An element is nil until the sensor has delivered samples.
    private var known: [KnownSensor?] = [nil, nil, nil]
    private var nextCheck: BootTime?

    subscript(sensor: SampleAligner.Sensor) -> KnownSensor? {
        get { known[sensor.rawValue] }
        set { known[sensor.rawValue] = newValue }
    }

    func isReading(_ sensor: SampleAligner.Sensor, _ id: SensorDescription.ID) -> Bool {
        known[sensor.rawValue]?.id == id
    }

    /// Returns true if a check is due, or if the clock has been set back. The first call only starts the interval.
    mutating func isDue(at now: BootTime) -> Bool {
        guard let next = nextCheck, now < next, next.seconds(since: now) <= CalibrationRules.checkInterval else {
            defer { nextCheck = now.advanced(bySeconds: CalibrationRules.checkInterval) }
            return nextCheck != nil
        }
        return false
    }

    /// Returns the calibrations that are worth storing, and marks them as stored.
    mutating func calibrationsToStore(_ pipeline: FusionPipeline, at now: WallTime) -> [StoreTask] {
        var tasks: [StoreTask] = []
        if let sensor = self[.gyroscope], pipeline.hasBias {
            let (bias, sigma) = (pipeline.filter.bias, pipeline.filter.biasSigma)
            if CalibrationRules.isWorthStoring(bias: bias, sigma: sigma, over: sensor.stored, at: now) {
                var calibration = sensor.stored ?? SensorCalibration()
                calibration.offset = bias
                calibration.sigma = sigma
                calibration.date = now
                recordStored(calibration, of: .gyroscope, sensor, &tasks)
            }
        }
        if let sensor = self[.magnetometer] {
            let found = pipeline.calibrator.calibration
            let stored = sensor.stored.map { MagneticCalibration($0) }
            if pipeline.hasCalibrated, CalibrationRules.isWorthStoring(found, over: stored) {
                recordStored(SensorCalibration(found, date: now), of: .magnetometer, sensor, &tasks)
            }
        }
        return tasks
    }

    private mutating func recordStored(
        _ calibration: SensorCalibration, of sensor: SampleAligner.Sensor, _ known: KnownSensor,
        _ tasks: inout [StoreTask]
    ) {
        self[sensor]?.stored = calibration
        tasks.append(
            StoreTask(identity: known.identity, calibration: calibration.convertedToSensorAxes(by: known.mountMatrix)))
    }
}
