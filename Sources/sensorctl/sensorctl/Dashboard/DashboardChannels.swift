// SPDX-License-Identifier: Apache-2.0

import Dashboard
import DeviceCore
import JSONBytes

/// The channels of the dashboard. The raw value is the index of the channel.
enum ChannelName: Int, CaseIterable {
    case accelerometer, gyroscope, magnetometer, pressure, attitude, userAcceleration, gravity, heading

    var channel: DashboardChannel {
        let axes = ["x", "y", "z"]
        return switch self {
        case .accelerometer: DashboardChannel("accelerometer", "Accelerometer", unit: "g", axes: axes)
        case .gyroscope: DashboardChannel("gyroscope", "Gyroscope", unit: "rad/s", axes: axes)
        case .magnetometer: DashboardChannel("magnetometer", "Magnetometer", unit: "uT", axes: axes)
        case .pressure: DashboardChannel("pressure", "Air pressure", unit: "hPa", axes: ["pressure"])
        case .attitude: DashboardChannel("attitude", "Attitude", unit: "", axes: ["w", "x", "y", "z"])
        case .userAcceleration: DashboardChannel("userAcceleration", "User acceleration", unit: "g", axes: axes)
        case .gravity: DashboardChannel("gravity", "Gravity", unit: "g", axes: axes)
        case .heading: DashboardChannel("heading", "Heading", unit: "deg", axes: ["magnetic", "true", "accuracy"])
        }
    }

    /// The channel of a sensor stream; nil for other streams.
    init?(_ stream: StreamName) {
        switch stream {
        case .accelerometer: self = .accelerometer
        case .gyro: self = .gyroscope
        case .magnetometer: self = .magnetometer
        case .pressure: self = .pressure
        default: return nil
        }
    }
}

extension DashboardFeed {
    func add(_ channel: ChannelName, at time: Double, _ reading: SIMD4<Float>) {
        add(channel.rawValue, at: time, reading)
    }

    func log(_ level: String, at time: Double, _ text: String) {
        publish(
            DashboardMessage("log", .transient) { writer in
                writer.member("t", time)
                writer.member("level", level)
                writer.member("text", text)
            })
    }
}

extension SIMD4<Float> {
    init(_ vector: SIMD3<Double>) { self.init(Float(vector.x), Float(vector.y), Float(vector.z), 0) }
}
