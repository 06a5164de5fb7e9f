// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The mean of a barometer's readings over about a second.
struct MeanPressure {
    /// The mean of some readings.
    struct Value: Sendable {
        /// Kilopascal.
        var pressure: Double
        /// The standard deviation of a reading in kilopascal; NaN when there was but one.
        var deviation: Double
        /// The time of the last reading.
        var time: BootTime
    }

    /// Seconds from one mean to the next. Apple's altimeter tells about one a second.
    static let interval = 1.0
    /// The interval that the sensor is asked for: some ten readings a mean take away two thirds of the noise.
    static let readingInterval = 0.1

    private var begin: BootTime?
    private var last = BootTime.zero
    private var count = 0
    private var mean = 0.0
    /// The sum of the squares of the deviations from the mean, by Welford's recurrence.
    private var squares = 0.0

    /// Takes a reading; the mean when it completes one. What cannot be a pressure is left out.
    mutating func take(_ pressure: Double, at time: BootTime) -> Value? {
        guard pressure.isFinite, pressure > 0 else { return nil }
        guard let begin, time > last else {
            restart(pressure, time)
            return nil
        }
        let step = time.seconds(since: last)
        last = time
        // What was read before a pause says nothing about now.
        if step > Self.interval { count = 0 }
        add(pressure)
        // A reading may be early by up to half a step.
        guard time.seconds(since: begin) >= Self.interval - min(step, Self.interval) / 2 else { return nil }
        let deviation = count > 1 ? (squares / Double(count - 1)).squareRoot() : .nan
        self.begin = time
        defer { count = 0 }
        return Value(pressure: mean, deviation: deviation, time: time)
    }

    /// The first reading, or one after a clock that was set back.
    private mutating func restart(_ pressure: Double, _ time: BootTime) {
        begin = time
        last = time
        count = 0
        add(pressure)
    }

    private mutating func add(_ pressure: Double) {
        if count == 0 {
            mean = 0
            squares = 0
        }
        count += 1
        let difference = pressure - mean
        mean += difference / Double(count)
        squares += difference * (pressure - mean)
    }
}
