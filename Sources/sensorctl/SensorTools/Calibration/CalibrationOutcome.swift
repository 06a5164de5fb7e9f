// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
package import JSONBytes
import MotionEngine
package import SensorFusion

/// The result of a calibration, in the device's axes.
package enum CalibrationOutcome: Sendable, Equatable {
    /// A gyroscope's bias. `bias` and its standard deviation `sigma` are in radians per second. `seconds` is the
    /// duration of the measurement, or NaN for a stored calibration.
    case gyro(bias: SIMD3<Double>, sigma: Double, seconds: Double)
    /// The calibration of an accelerometer, in m/s².
    case accelerometer(AccelerometerCalibration)
    /// `matrix` maps the sensor's axes to the device's axes. `deviation` is the angle between the measured rotation and
    /// `matrix`, in degrees. It is 0 unless `matrix` was rounded to a right-angle rotation.
    case mount(matrix: MountMatrix, deviation: Double, isRounded: Bool)
    /// The calibration of a magnetometer, in gauss.
    case magnetometer(MagneticCalibration)

    package var topic: CalibrationTopic {
        switch self {
        case .gyro: .gyro
        case .accelerometer: .accelerometer
        case .mount: .mount
        case .magnetometer: .magnetometer
        }
    }

    private static let gravity = 9.80665

    /// Returns the calibration in the sensor's own axes, or nil for a mount matrix, which is part of the configuration.
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
        return stored.convertedToSensorAxes(by: mount)
    }

    /// Returns nil for pressure sensors, which cannot be calibrated.
    init?(_ stored: SensorCalibration, of sensor: SensorDescription) {
        let converted = stored.convertedToDeviceAxes(by: sensor.mountMatrix)
        switch sensor.kind {
        case .gyroscope: self = .gyro(bias: converted.offset, sigma: converted.sigma, seconds: .nan)
        case .accelerometer:
            var calibration = AccelerometerCalibration()
            (calibration.matrix.row0, calibration.matrix.row1, calibration.matrix.row2) = converted.matrix
            calibration.offset = converted.offset
            calibration.residual = converted.residual * Self.gravity
            calibration.tilt = .nan
            self = .accelerometer(calibration)
        case .magnetometer: self = .magnetometer(MagneticCalibration(converted))
        default: return nil
        }
    }

    package func lines(of sensor: SensorDescription?) -> [String] {
        switch self {
        case .gyro(let bias, let sigma, let seconds):
            let degrees = bias * (180 / .pi)
            return [
                String(
                    format: "bias %.3f %.3f %.3f °/s, ± %@%@", degrees.x, degrees.y, degrees.z,
                    Self.number(sigma * 180 / .pi, "%.4f"),
                    seconds.isFinite ? String(format: " (from %.1f s)", seconds) : "")
            ]
        case .accelerometer(let calibration):
            let (offset, scale) = (calibration.offset, calibration.scale)
            return [
                String(format: "offset %.3f %.3f %.3f m/s²", offset.x, offset.y, offset.z),
                String(format: "scale  %.4f %.4f %.4f", scale.x, scale.y, scale.z),
                "residual \(Self.number(calibration.residual, "%.3f m/s²")), largest tilt of a side \(Self.number(calibration.tilt * 180 / .pi, "%.1f°"))",
            ]
        case .mount(let matrix, let deviation, let isRounded):
            let note =
                isRounded ? String(format: "rounded, %.1f° from measurement", deviation) : "as measured, not rounded"
            return ["mount matrix \(matrix.text)  (\(note))"] + Self.mountHelp(matrix, sensor)
        case .magnetometer(let calibration):
            let hard = calibration.hardIron * 100
            var lines = [String(format: "hard iron %.2f %.2f %.2f µT", hard.x, hard.y, hard.z)]
            for (index, row) in calibration.softIron.enumerated() {
                lines.append(
                    String(format: "%@ %8.4f %8.4f %8.4f", index == 0 ? "soft iron" : "         ", row.x, row.y, row.z))
            }
            lines.append(
                String(
                    format: "quality %@: coverage %.0f %%, residual %@, field %@, dip %@", "\(calibration.quality)",
                    calibration.coverage * 100, Self.number(calibration.residual * 100, "%.1f %%"),
                    Self.number(calibration.fieldStrength * 100, "%.1f µT"),
                    Self.number(calibration.dip * 180 / .pi, "%.1f°")))
            return lines
        }
    }

    private static func number(_ value: Double, _ format: String) -> String {
        value.isFinite ? String(format: format, value) : "unknown"
    }

    /// Returns instructions for adding the matrix to this package's configuration and to systemd's hardware database.
    private static func mountHelp(_ matrix: MountMatrix, _ sensor: SensorDescription?) -> [String] {
        [
            "for this package, in ~/.config/device-services.json or /etc/device-services.json:",
            "  " + MountText.configuration(matrix, sensor: sensor?.displayName ?? "*"),
            "for every program, in /etc/udev/hwdb.d/61-sensor-local.hwdb (then run: systemd-hwdb update && udevadm trigger). The rows for x and y have the opposite sign, because hwdb expects negative readings of x and y axes that point up:",
        ] + MountText.hardwareDatabase(matrix, sensor: sensor).map { "  " + $0 }
    }

    /// Writes a JSON object on one line. The units are the same as in traces: rad/s, m/s² and gauss.
    package func write(to writer: inout JSONWriter, sensor: SensorDescription?, _ more: JSONMembers) {
        writer.line { writer in
            writeMembers(to: &writer, sensor)
            writer.members(more)
        }
    }

    private func writeMembers(to writer: inout JSONWriter, _ sensor: SensorDescription?) {
        writer.members(["calibration": topic.rawValue, "sensor": sensor?.id, "name": sensor?.name])
        switch self {
        case .gyro(let bias, let sigma, let seconds):
            writer.members(["bias": bias, "sigma": sigma, "seconds": seconds])
        case .accelerometer(let calibration):
            let matrix = calibration.matrix
            writer.members([
                "offset": calibration.offset, "matrix": [matrix.row0, matrix.row1, matrix.row2],
                "residual": calibration.residual, "tilt": calibration.tilt,
            ])
        case .mount(let matrix, let deviation, let isRounded):
            writer.members([
                "mountMatrix": matrix.text, "deviation": deviation, "rounded": isRounded,
                "hwdb": MountText.hardwareDatabase(matrix, sensor: sensor).joined(separator: "\n"),
            ])
            writer.key("configuration")
            writer.raw(MountText.configuration(matrix, sensor: sensor?.displayName ?? "*").utf8)
        case .magnetometer(let calibration):
            writer.members([
                "hardIron": calibration.hardIron, "softIron": calibration.softIron,
                "quality": "\(calibration.quality)", "coverage": calibration.coverage, "residual": calibration.residual,
                "fieldStrength": calibration.fieldStrength, "dip": calibration.dip,
            ])
        }
    }
}
