// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// Measures a gyroscope's bias while the device rests.
///
/// Rates and biases are in radians per second, in the axes of the readings. A rotation at a constant rate is
/// indistinguishable from a bias, unless it is faster than ``maximumBias``.
package struct RestBias: Sendable {
    /// The progress of a measurement.
    package enum State: Sendable, Hashable {
        /// The device moves, or there are too few readings.
        case moving
        /// The device rests. `progress` is the elapsed fraction of the required time, 0...1.
        case resting(progress: Double)
        /// ``RestBias/bias`` is valid. Each further reading improves it.
        case complete
        /// The rate is constant, but larger than any bias: the device rotates.
        case turning
    }

    private var average: StillAverage

    /// The largest plausible bias, in radians per second.
    package static let maximumBias = 0.5

    /// - Parameters:
    ///   - duration: The required time at rest, in seconds.
    ///   - limit: The deviation from the mean that counts as movement, in radians per second.
    package init(duration: Double = 3, limit: Double = 0.05) {
        average = StillAverage(limit: limit, duration: duration)
    }

    /// Processes a reading.
    ///
    /// - Parameters:
    ///   - rate: The angular rate, in radians per second.
    ///   - timestamp: The time of the reading, in seconds.
    /// - Returns: False if the device moved and the measurement restarted, or if the reading is not finite.
    @discardableResult
    package mutating func update(_ rate: SIMD3<Double>, timestamp: Double) -> Bool {
        average.update(rate, timestamp: timestamp)
    }

    /// The progress of the current measurement.
    package var state: State {
        guard average.count > 1 else { return .moving }
        guard average.mean.length <= Self.maximumBias else { return .turning }
        return average.isComplete ? .complete : .resting(progress: average.progress)
    }

    /// The mean rate; nil until the device has rested long enough.
    package var bias: SIMD3<Double>? { state == .complete ? average.mean : nil }

    /// The standard deviation of ``bias`` on the worst axis, in radians per second; nil if there is no bias.
    ///
    /// It is at least 1e-5 rad/s, because readings are not quite independent and biases drift with temperature.
    package var sigma: Double? {
        guard state == .complete else { return nil }
        let deviation = average.deviation
        let worst = max(deviation.x, deviation.y, deviation.z)
        // Assumes that every third reading is independent.
        return max(1e-5, worst * (3 / Double(average.count)).squareRoot())
    }

    /// The standard deviation of a single reading on each axis, in radians per second.
    package var noise: SIMD3<Double> { average.deviation }

    /// The number of measurements that were interrupted by movement.
    package var interruptions: Int { average.interruptions }

    /// Discards the current measurement and starts another.
    package mutating func restart() { average.restart() }
}
