// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// What can be calibrated.
enum CalibrationTopic: String, ExpressibleByArgument, CaseIterable, Sendable {
    case gyro, accelerometer, mount, magnetometer

    /// The sensor that it is about.
    var kind: SensorKind {
        switch self {
        case .gyro: .gyroscope
        case .accelerometer, .mount: .accelerometer
        case .magnetometer: .magnetometer
        }
    }

    /// The sensors that help, and are used where they are.
    var helpers: [SensorKind] {
        switch self {
        case .gyro: [.accelerometer]
        case .accelerometer, .mount: []
        case .magnetometer: [.gyroscope, .accelerometer]
        }
    }

    /// False where readings are in the axes of the sensor, as it is mounted somehow.
    var needsDeviceAxes: Bool { self != .mount }

    /// What people call it.
    var title: String {
        switch self {
        case .gyro: "Gyroscope: its bias at rest"
        case .accelerometer: "Accelerometer: offset and scale of its axes"
        case .mount: "Mount: how the sensor sits in the device"
        case .magnetometer: "Magnetometer: the device's own magnetism"
        }
    }
}
