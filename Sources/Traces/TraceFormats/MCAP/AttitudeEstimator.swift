// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion
import Trace

/// Computes the attitude of the device from the first gyroscope, accelerometer and magnetometer of a trace.
struct AttitudeEstimator {
    /// The minimum interval between attitudes in nanoseconds (20 ms).
    private static let interval: Int64 = 20_000_000

    private var filter = AttitudeFilter()
    private let sensors: [SensorDescription.ID: SensorDescription]
    private var last: Int64?
    private var hasAcceleration = false

    init(_ header: TraceHeader) {
        var sensors: [SensorDescription.ID: SensorDescription] = [:]
        for kind in [SensorKind.gyroscope, .accelerometer, .magnetometer] {
            if let sensor = header.sensors.first(where: { $0.kind == kind }) { sensors[sensor.id] = sensor }
        }
        self.sensors = sensors
    }

    /// Processes a reading. Returns the attitude and the name of its reference frame when an attitude is due; nil
    /// otherwise. The axes of "earth" point east, magnetic north and up. In "start", the heading is relative to an
    /// arbitrary direction.
    mutating func process(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, at time: Int64
    ) -> (Quaternion, String)? {
        guard let sensor = sensors[sensor], sensor.kind == kind else { return nil }
        let value = sensor.mountMatrix.isIdentity ? value : sensor.mountMatrix.apply(to: value)
        let seconds = Double(time) / 1e9
        if kind == .accelerometer {
            filter.updateAccelerometer(value, timestamp: seconds)
            hasAcceleration = true
        } else if kind == .magnetometer {
            filter.updateMagnetometer(value, timestamp: seconds)
        } else if kind == .gyroscope {
            filter.updateGyroscope(value, timestamp: seconds)
            guard hasAcceleration, last.map({ time.subtractingSaturated($0) >= Self.interval }) ?? true else {
                return nil
            }
            last = time
            if let attitude = filter.magneticAttitude { return (attitude, "earth") }
            return (filter.attitude, "start")
        }
        return nil
    }
}
