// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Calibrates the accelerometer's offset and scale from six poses of the device, in any order.
struct AccelerometerTask: CalibrationTask {
    let topic = CalibrationTopic.accelerometer
    let reportsProgress = false
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private var calibrator = AccelerometerCalibrator(duration: 1, limit: 0.5)
    private var doneSince: Double?

    private var doneCount: Int { DevicePose.allCases.count - calibrator.missingPoses.count }

    var instruction: String {
        guard let pose = calibrator.missingPoses.first else { return "All sides have been measured." }
        return "\(doneCount + 1) of 6, in any order: \(pose.hint)."
    }

    var progress: Double {
        guard outcome == nil else { return 1 }
        guard case .measuring(_, let fraction) = calibrator.state else { return Double(doneCount) / 6 }
        return (Double(doneCount) + min(fraction, 0.99)) / 6
    }

    var status: String {
        switch calibrator.state {
        case .moving: "\(doneCount) of 6 sides   moving"
        case .measuring(let pose, let fraction):
            String(format: "%d of 6 sides   %@: %.0f %%", doneCount, pose.name, fraction * 100)
        case .poseDone(let pose): "\(doneCount) of 6 sides   \(pose.name): done"
        case .slanted: "\(doneCount) of 6 sides   slanted"
        case .complete: "6 of 6 sides"
        }
    }

    mutating func process(_ sample: CalibrationSample) {
        guard outcome == nil, sample.kind == .accelerometer else { return }
        calibrator.update(sample.value, timestamp: sample.seconds)
        if case .poseDone = calibrator.state {
            let since = doneSince ?? sample.seconds
            doneSince = since
            hint = sample.seconds - since > 2 ? Self.turnHint : nil
            return
        }
        doneSince = nil
        switch calibrator.state {
        case .slanted: hint = "Lay the device flat on one side. At rest, the accelerometer must measure about 9.8 m/s²."
        case .complete: finishMeasurement()
        case .moving, .measuring, .poseDone: hint = nil
        }
    }

    private mutating func finishMeasurement() {
        guard let calibration = calibrator.calibration else {
            hint = "The six measurements yield no plausible offset and scale. Start again with the first side."
            calibrator.reset()
            return
        }
        outcome = .accelerometer(calibration)
    }

    var failureReason: String { "The device lay still on only \(doneCount) of 6 sides." }
}

extension DevicePose {
    /// The name in lowercase words, such as "top edge up".
    var name: String { rawValue.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" } }
}
