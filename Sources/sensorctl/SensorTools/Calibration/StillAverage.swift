// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// The mean of a sensor's readings for as long as it does not move.
///
/// A reading that is farther than a limit from the mean of those before it is movement: the mean begins anew.
package struct StillAverage: Sendable {
    /// How far a reading may be from the mean, in the unit of the readings.
    package let limit: Double
    /// Seconds without movement that are needed.
    package let duration: Double
    /// The mean since the last movement; zero before the first reading.
    package private(set) var mean = SIMD3<Double>.zero
    /// Readings since the last movement.
    package private(set) var count = 0
    /// How often it has moved after it had been still for a tenth of the time needed.
    package private(set) var interruptions = 0

    private var squares = SIMD3<Double>.zero
    private var begin: Double?
    private var end = 0.0

    /// - Parameters:
    ///   - limit: How far a reading may be from the mean, in the unit of the readings.
    ///   - duration: Seconds without movement that are needed.
    package init(limit: Double, duration: Double) {
        self.limit = limit.isFinite ? max(limit, 0) : 0
        self.duration = duration.isFinite ? max(duration, 0) : 0
    }

    /// Takes a reading; false when it was movement. Readings that are not finite are ignored and give false.
    ///
    /// - Parameter timestamp: In seconds; a step back or a gap of more than a second begins anew.
    @discardableResult
    package mutating func update(_ value: SIMD3<Double>, timestamp: Double) -> Bool {
        guard value.isFinite, timestamp.isFinite else { return false }
        if count > 0, timestamp <= end || timestamp - end > 1 { restart() }
        // The first few readings are no mean to judge by: compared to each other they may differ by twice as much.
        let allowance = count < 5 ? 2 * limit : limit
        let isMovement = count > 0 && (value - mean).length > allowance
        if isMovement {
            if progress > 0.1 { interruptions += 1 }
            restart()
        }
        count += 1
        let difference = value - mean
        mean += difference / Double(count)
        squares += difference * (value - mean)
        if begin == nil { begin = timestamp }
        end = timestamp
        return !isMovement
    }

    /// Seconds since the last movement.
    package var seconds: Double { begin.map { end - $0 } ?? 0 }

    /// How much of the time needed has passed, 0 ... 1.
    package var progress: Double {
        guard count > 1 else { return 0 }
        return duration > 0 ? min(seconds / duration, 1) : 1
    }

    /// True when it has been still long enough, and with at least ten readings.
    package var isComplete: Bool { count >= 10 && progress >= 1 }

    /// The standard deviation of single readings on each axis; zero with fewer than two.
    package var deviation: SIMD3<Double> {
        guard count > 1 else { return .zero }
        let variance = squares / Double(count - 1)
        return SIMD3(max(variance.x, 0).squareRoot(), max(variance.y, 0).squareRoot(), max(variance.z, 0).squareRoot())
    }

    /// Forgets everything but the number of interruptions.
    package mutating func restart() {
        (mean, squares) = (.zero, .zero)
        (count, begin, end) = (0, nil, 0)
    }
}
