// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// Measures a gyroscope's bias while the device rests.
///
/// Radians per second, in the axes of the readings. A turn of constant rate cannot be told from a bias, except that no
/// gyroscope has one of more than half a radian per second.
package struct RestBias: Sendable {
    /// How far a measurement has come.
    package enum State: Sendable, Hashable {
        /// The device moves, or nothing was read yet.
        case moving
        /// It rests; that part of the time needed has passed, 0 ... 1.
        case resting(progress: Double)
        /// ``RestBias/bias`` can be used; it gets better with each further reading.
        case complete
        /// Still, but at a rate that no bias has: it turns evenly.
        case turning
    }

    private var average: StillAverage

    /// The largest bias that is believed, radians per second.
    package static let largestBias = 0.5

    /// - Parameters:
    ///   - duration: Seconds of rest that are needed.
    ///   - limit: Radians per second from the mean at which it moves.
    package init(duration: Double = 3, limit: Double = 0.05) {
        average = StillAverage(limit: limit, duration: duration)
    }

    /// Takes a reading, in radians per second; the time stamp in seconds.
    ///
    /// - Returns: False when the device has moved and the measurement begins anew.
    @discardableResult
    package mutating func update(_ rate: SIMD3<Double>, timestamp: Double) -> Bool {
        average.update(rate, timestamp: timestamp)
    }

    /// How far it has come.
    package var state: State {
        guard average.count > 1 else { return .moving }
        guard average.mean.length <= Self.largestBias else { return .turning }
        return average.isComplete ? .complete : .resting(progress: average.progress)
    }

    /// The mean rate, once the device has rested long enough; nil before.
    package var bias: SIMD3<Double>? { state == .complete ? average.mean : nil }

    /// One standard deviation of the mean on the worst axis; nil as long as there is no bias.
    ///
    /// Readings are not quite independent and biases wander with temperature: it is never less than 1e-5 rad/s.
    package var sigma: Double? {
        guard state == .complete else { return nil }
        let deviation = average.deviation
        let worst = max(deviation.x, deviation.y, deviation.z)
        // As if every third reading were independent.
        return max(1e-5, worst * (3 / Double(average.count)).squareRoot())
    }

    /// The standard deviation of single readings.
    package var noise: SIMD3<Double> { average.deviation }

    /// How often the device was moved in the middle of a measurement.
    package var interruptions: Int { average.interruptions }

    /// Begins anew.
    package mutating func restart() { average.restart() }
}
