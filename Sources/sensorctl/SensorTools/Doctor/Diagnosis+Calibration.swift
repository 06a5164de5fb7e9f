// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

extension Diagnosis {
    /// Which calibrations are in force, how old and how good they are, and which are missing.
    static func calibrations(_ facts: MachineFacts) -> [Finding] {
        var findings = facts.calibrationProblems.map { Finding(.remark, "calibration", $0.description) }
        let known = facts.calibrations
        findings += known.map { entry in
            let text = "\(entry.title): \(entry.outcome.summary), found \(entry.age(at: facts.now))."
            guard case .magnetometer(let calibration) = entry.outcome, calibration.quality < .medium else {
                return Finding(.good, "calibration", text)
            }
            return Finding(.remark, "calibration", text, repair: "sensorctl calibrate magnetometer")
        }
        // A heading is what suffers most.
        for trial in facts.trials where trial.sensor.kind == .magnetometer {
            guard !known.contains(where: { $0.sensor.id == trial.sensor.id }) else { continue }
            findings += .one(
                .remark, "calibration",
                "magnetometer \(trial.sensor.shownName): nothing is known of the device's own magnetism; headings are as good as its factory made them until the device has been turned.",
                repair: "sensorctl calibrate magnetometer")
        }
        return findings
    }
}

extension CalibrationOutcome {
    /// How good it is, in a few words.
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
                residual, calibration.waysHeld)
        case .mount(let matrix, _, _): return "mount matrix \(matrix.text)"
        }
    }
}

extension MagneticCalibration {
    /// Which ways of holding the device it was found from, and which of them are missing.
    fileprivate var waysHeld: String {
        guard !sidesUp.isEmpty else { return "" }
        let missing = MagneticSurvey.Side.allCases.filter { !sidesUp.contains($0) }
        let up = "held with \(sidesUp.map(\.words).joined(separator: ", ")) up"
        return missing.isEmpty ? ", held all ways" : ", \(up), not with \(missing.map(\.words).joined(separator: ", "))"
    }
}
