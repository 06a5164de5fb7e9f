// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Findings about the stored calibrations of the connected sensors.
extension Diagnosis {
    static func calibrations(_ machine: MachineState) -> [Finding] {
        var findings = machine.calibrationProblems.map { Finding(.remark, "calibration", $0.description) }
        let calibrations = machine.calibrations
        findings += calibrations.map { entry in
            let text = "\(entry.title): \(entry.outcome.summary), calibrated \(entry.age(at: machine.now))."
            guard case .magnetometer(let calibration) = entry.outcome, calibration.quality < .medium else {
                return Finding(.good, "calibration", text)
            }
            return Finding(.remark, "calibration", text, repair: "sensorctl calibrate magnetometer")
        }
        // Only magnetometers are checked, because headings suffer most from a missing calibration.
        for trial in machine.trials where trial.sensor.kind == .magnetometer {
            guard !calibrations.contains(where: { $0.sensor.id == trial.sensor.id }) else { continue }
            findings += .one(
                .remark, "calibration",
                "magnetometer \(trial.sensor.displayName) is not calibrated. Until you turn the device in all directions, headings are only as accurate as the factory calibration.",
                repair: "sensorctl calibrate magnetometer")
        }
        return findings
    }
}

extension CalibrationOutcome {
    fileprivate var summary: String {
        let degrees = 180 / Double.pi
        switch self {
        case .gyro(let bias, _, _):
            return String(format: "bias %.2f %.2f %.2f °/s", bias.x * degrees, bias.y * degrees, bias.z * degrees)
        case .accelerometer(let calibration):
            let offset = calibration.offset
            return String(format: "offset %.3f %.3f %.3f m/s²", offset.x, offset.y, offset.z)
        case .magnetometer(let calibration):
            let residual =
                calibration.residual.isFinite ? String(format: ", residual %.1f %%", calibration.residual * 100) : ""
            return String(
                format: "quality %@, coverage %.0f %%%@%@", "\(calibration.quality)", calibration.coverage * 100,
                residual, calibration.poseSummary)
        case .mount(let matrix, _, _): return "mount matrix \(matrix.text)"
        }
    }
}

extension MagneticCalibration {
    /// A phrase that lists the sides of the device that did and did not face up during the calibration.
    fileprivate var poseSummary: String {
        guard !sidesUp.isEmpty else { return "" }
        let missing = PoseCoverage.Side.allCases.filter { !sidesUp.contains($0) }
        guard !missing.isEmpty else { return ", measured in all orientations" }
        let up = sidesUp.map(\.displayName).joined(separator: ", ")
        return ", measured with \(up) up, not with \(missing.map(\.displayName).joined(separator: ", "))"
    }
}
