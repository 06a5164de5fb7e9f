// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// Which sensors the engine reads, and what is stored of them.
struct CalibrationKeeper: Sendable {
    /// A sensor and what is stored of it.
    struct Known: Sendable {
        var id: SensorDescription.ID
        var identity: SensorIdentity
        var mountMatrix: MountMatrix
        /// In the device's axes; nil for nothing.
        var stored: SensorCalibration?
    }

    /// A calibration that is to be stored, in the sensor's own axes.
    struct Task: Sendable {
        var identity: SensorIdentity
        var calibration: SensorCalibration
    }

    private var known: [Known?] = [nil, nil, nil]
    /// When to look again whether there is something to store.
    private var nextLook: BootTime?

    subscript(sensor: SampleAligner.Sensor) -> Known? {
        get { known[sensor.rawValue] }
        set { known[sensor.rawValue] = newValue }
    }

    /// True when readings of the sensor come from the one of that id.
    func isReading(_ sensor: SampleAligner.Sensor, _ id: SensorDescription.ID) -> Bool {
        known[sensor.rawValue]?.id == id
    }

    /// True once in a while.
    mutating func isDue(at now: BootTime) -> Bool {
        guard let next = nextLook, now < next, next.seconds(since: now) <= CalibrationRules.pause else {
            defer { nextLook = now.advanced(bySeconds: CalibrationRules.pause) }
            return nextLook != nil
        }
        return false
    }

    /// What is worth storing now; it counts as stored.
    mutating func tasks(_ pipeline: FusionPipeline, at now: WallTime) -> [Task] {
        var tasks: [Task] = []
        if let sensor = self[.gyroscope], pipeline.hasBias {
            let (bias, sigma) = (pipeline.filter.bias, pipeline.filter.biasSigma)
            if CalibrationRules.isWorthStoring(bias: bias, sigma: sigma, over: sensor.stored, at: now) {
                var calibration = sensor.stored ?? SensorCalibration()
                calibration.offset = bias
                calibration.sigma = sigma
                calibration.date = now
                keep(calibration, of: .gyroscope, sensor, &tasks)
            }
        }
        if let sensor = self[.magnetometer] {
            let found = pipeline.calibrator.calibration
            let stored = sensor.stored.map { MagneticCalibration($0) }
            if pipeline.hasCalibrated, CalibrationRules.isWorthStoring(found, over: stored) {
                keep(SensorCalibration(found, date: now), of: .magnetometer, sensor, &tasks)
            }
        }
        return tasks
    }

    private mutating func keep(
        _ calibration: SensorCalibration, of sensor: SampleAligner.Sensor, _ known: Known, _ tasks: inout [Task]
    ) {
        self[sensor]?.stored = calibration
        tasks.append(Task(identity: known.identity, calibration: calibration.inSensorAxes(known.mountMatrix)))
    }
}
