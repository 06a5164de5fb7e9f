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
        // Also checks the accelerometer, which reacts sooner than the gyroscope when the table is touched.
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

/// Measures a gyroscope's bias while the device is at rest. The bias is in radians per second, in the axes of the
/// readings. A constant rotation cannot be distinguished from a bias unless its rate exceeds ``maximumBias``.
package struct RestBias: Sendable {
    package enum State: Sendable, Hashable {
        /// The device is moving, or there are too few readings.
        case moving
        /// The device is at rest. `progress` is the elapsed fraction of the required time, 0...1.
        case resting(progress: Double)
        /// ``RestBias/bias`` is valid. Further readings improve it.
        case complete
        /// The device is rotating at a constant rate that exceeds any plausible bias.
        case turning
    }

    private var average: StillAverage

    /// The largest plausible bias, in radians per second.
    package static let maximumBias = 0.5

    /// `duration` is the required time at rest, in seconds. A rate that deviates from the mean by more than `limit`, in
    /// radians per second, counts as movement.
    package init(duration: Double = 3, limit: Double = 0.05) {
        average = StillAverage(limit: limit, duration: duration)
    }

    /// Processes a rate in radians per second with its timestamp in seconds. Returns false if the rate is not finite or
    /// the measurement restarts because the device moved.
    @discardableResult package mutating func update(_ rate: SIMD3<Double>, timestamp: Double) -> Bool {
        average.update(rate, timestamp: timestamp)
    }

    package var state: State {
        guard average.count > 1 else { return .moving }
        guard average.mean.length <= Self.maximumBias else { return .turning }
        return average.isComplete ? .complete : .resting(progress: average.progress)
    }

    /// The mean rate, or nil until the device has rested long enough.
    package var bias: SIMD3<Double>? { state == .complete ? average.mean : nil }

    /// The largest standard deviation of ``bias`` on any axis, in radians per second. It is at least 1e-5, because
    /// readings are not fully independent and biases drift with temperature.
    package var sigma: Double? {
        guard state == .complete else { return nil }
        let deviation = average.deviation
        let worst = max(deviation.x, deviation.y, deviation.z)
        // Assumes that only one in three readings is independent.
        return max(1e-5, worst * (3 / Double(average.count)).squareRoot())
    }

    package mutating func restart() { average.restart() }
}
