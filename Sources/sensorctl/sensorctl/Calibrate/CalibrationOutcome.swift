// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// What a calibration has found, in the device's axes.
enum CalibrationOutcome: Sendable, Equatable {
    /// Radians per second, with the standard deviation of each axis; found in so many seconds.
    case gyro(bias: SIMD3<Double>, sigma: Double, seconds: Double)
    /// In m/s².
    case accelerometer(AccelerometerCalibration)
    /// From the sensor's axes to the device's; by how many degrees it was rounded to quarter turns.
    case mount(matrix: MountMatrix, deviation: Double, isRounded: Bool)
    /// In gauss.
    case magnetometer(MagneticCalibration)

    var topic: CalibrationTopic {
        switch self {
        case .gyro: .gyro
        case .accelerometer: .accelerometer
        case .mount: .mount
        case .magnetometer: .magnetometer
        }
    }
}
