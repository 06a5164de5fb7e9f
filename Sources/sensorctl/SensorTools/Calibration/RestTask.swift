// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// Measures the gyroscope's bias while the device lies still.
struct RestTask: CalibrationTask {
    let topic = CalibrationTopic.gyro
    let instruction = "Lay the device down and do not touch it."
    private(set) var hint: String?
    private(set) var outcome: CalibrationOutcome?
    private let seconds: Double
    private var rest: RestBias
    private var table: StillAverage

    init(seconds: Double = 5) {
        self.seconds = seconds
        rest = RestBias(duration: seconds, limit: 0.08)
        // Touching the table affects the accelerometer before it rotates the gyroscope.
        table = StillAverage(limit: 0.6, duration: seconds)
    }

    var progress: Double {
        if outcome != nil { return 1 }
        guard case .resting(let progress) = rest.state else { return 0 }
        return progress
    }

    var status: String { String(format: "still for %.1f of %.0f s", progress * seconds, seconds) }

    mutating func process(_ sample: CalibrationSample) {
        guard outcome == nil else { return }
        if sample.kind == .accelerometer {
            if !table.update(sample.value, timestamp: sample.seconds) { restartAfterMovement() }
        } else if sample.kind == .gyroscope {
            if !rest.update(sample.value, timestamp: sample.seconds) { restartAfterMovement() }
            evaluate()
        }
    }

    private mutating func evaluate() {
        switch rest.state {
        case .moving: break
        case .turning: hint = "The device turns steadily, faster than any bias. Put it on a surface that does not turn."
        case .resting(let progress): if progress > 0.2 { hint = nil }
        case .complete:
            guard let bias = rest.bias, let sigma = rest.sigma else { return }
            outcome = .gyro(bias: bias, sigma: sigma, seconds: seconds)
        }
    }

    var failureReason: String { String(format: "The device did not lie still for %.0f s in a row.", seconds) }

    private mutating func restartAfterMovement() {
        hint = "The device moved. Do not touch it."
        rest.restart()
    }
}
