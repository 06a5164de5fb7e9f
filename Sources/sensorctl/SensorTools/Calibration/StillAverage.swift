// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// The mean of a sensor's readings since the last movement. A reading counts as movement if it differs from the mean by
/// more than a limit.
package struct StillAverage: Sendable {
    /// The deviation from the mean above which a reading counts as movement, in the readings' unit.
    package let limit: Double
    /// The required time without movement, in seconds.
    package let duration: Double
    /// The mean of the readings since the last movement, or zero before the first reading.
    package private(set) var mean = SIMD3<Double>.zero
    package private(set) var count = 0

    private var squares = SIMD3<Double>.zero
    private var begin: Double?
    private var end = 0.0

    package init(limit: Double, duration: Double) {
        self.limit = limit.isFinite ? max(limit, 0) : 0
        self.duration = duration.isFinite ? max(duration, 0) : 0
    }

    /// Processes a reading with its timestamp in seconds. Returns false if the reading counts as movement or is not
    /// finite. The average restarts after a movement, after a gap of more than 1 s, or if the timestamp does not
    /// increase.
    @discardableResult package mutating func update(_ value: SIMD3<Double>, timestamp: Double) -> Bool {
        guard value.isFinite, timestamp.isFinite else { return false }
        if count > 0, timestamp <= end || timestamp - end > 1 { restart() }
        // Doubles the limit initially, because the mean of fewer than five readings is inaccurate.
        let allowance = count < 5 ? 2 * limit : limit
        let isMovement = count > 0 && (value - mean).length > allowance
        if isMovement { restart() }
        count += 1
        let difference = value - mean
        mean += difference / Double(count)
        squares += difference * (value - mean)
        if begin == nil { begin = timestamp }
        end = timestamp
        return !isMovement
    }

    /// The time since the last movement, in seconds.
    package var seconds: Double { begin.map { end - $0 } ?? 0 }

    /// The elapsed fraction of the required time, 0...1.
    package var progress: Double {
        guard count > 1 else { return 0 }
        return duration > 0 ? min(seconds / duration, 1) : 1
    }

    /// True if the required time has elapsed and there are at least ten readings.
    package var isComplete: Bool { count >= 10 && progress >= 1 }

    /// The standard deviation of a single reading on each axis, or zero if there are fewer than two readings.
    package var deviation: SIMD3<Double> {
        guard count > 1 else { return .zero }
        let variance = squares / Double(count - 1)
        return SIMD3(max(variance.x, 0).squareRoot(), max(variance.y, 0).squareRoot(), max(variance.z, 0).squareRoot())
    }

    package mutating func restart() {
        (mean, squares) = (.zero, .zero)
        (count, begin, end) = (0, nil, 0)
    }
}
