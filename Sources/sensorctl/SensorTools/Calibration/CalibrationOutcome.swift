// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import MotionEngine
package import SensorFusion

/// What a calibration has found, in the device's axes.
package enum CalibrationOutcome: Sendable, Equatable {
    /// Radians per second, with the standard deviation of each axis; found in so many seconds.
    case gyro(bias: SIMD3<Double>, sigma: Double, seconds: Double)
    /// In m/s².
    case accelerometer(AccelerometerCalibration)
    /// From the sensor's axes to the device's; by how many degrees it was rounded to quarter turns.
    case mount(matrix: MountMatrix, deviation: Double, isRounded: Bool)
    /// In gauss.
    case magnetometer(MagneticCalibration)

    package var topic: CalibrationTopic {
        switch self {
        case .gyro: .gyro
        case .accelerometer: .accelerometer
        case .mount: .mount
        case .magnetometer: .magnetometer
        }
    }
}

extension CalibrationOutcome {
    private static let gravity = 9.80665

    /// As it is stored: in the sensor's own axes. Nil for a mount, which belongs to the configuration.
    func stored(_ mount: MountMatrix, date: WallTime) -> SensorCalibration? {
        var stored = SensorCalibration()
        switch self {
        case .gyro(let bias, let sigma, _):
            stored.offset = bias
            stored.sigma = sigma
        case .accelerometer(let calibration):
            stored.offset = calibration.offset
            stored.matrix = (calibration.matrix.row0, calibration.matrix.row1, calibration.matrix.row2)
            stored.residual = calibration.residual / Self.gravity
        case .magnetometer(let calibration): stored = SensorCalibration(calibration, date: date)
        case .mount: return nil
        }
        stored.date = date
        return stored.inSensorAxes(mount)
    }

    /// What is stored of a sensor; nil for one that keeps none.
    init?(_ stored: SensorCalibration, of sensor: SensorDescription) {
        let turned = stored.inDeviceAxes(sensor.mountMatrix)
        switch sensor.kind {
        case .gyroscope: self = .gyro(bias: turned.offset, sigma: turned.sigma, seconds: .nan)
        case .accelerometer:
            var calibration = AccelerometerCalibration()
            (calibration.matrix.row0, calibration.matrix.row1, calibration.matrix.row2) = turned.matrix
            calibration.offset = turned.offset
            calibration.residual = turned.residual * Self.gravity
            calibration.tilt = .nan
            self = .accelerometer(calibration)
        case .magnetometer: self = .magnetometer(MagneticCalibration(turned))
        case .pressure: return nil
        }
    }
}
