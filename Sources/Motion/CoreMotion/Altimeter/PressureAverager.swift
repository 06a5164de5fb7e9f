// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Averages barometer readings over about one second. After a gap of more than a second, the first reading is an
/// average by itself.
struct PressureAverager {
    struct Value: Sendable {
        /// In kilopascals.
        var pressure: Double
        /// The standard deviation of the readings, in kilopascals, or NaN if there was only one reading.
        var deviation: Double
        /// The time of the last reading.
        var time: BootTime
    }

    /// The interval between averages, in seconds. Apple's altimeter uses a similar interval.
    static let interval = 1.0
    /// The requested interval between readings, in seconds. At this interval, an average of ten readings removes two
    /// thirds of the noise.
    static let readingInterval = 0.1

    /// The start of the current interval: the time of the last reading in the previous interval or, if there is no
    /// previous interval, the time of the first reading.
    private var start: BootTime?
    private var last = BootTime.zero
    private var count = 0
    private var mean = 0.0
    /// The sum of the squared deviations from the mean, updated with Welford's algorithm.
    private var squares = 0.0

    /// Processes a reading. Returns the average if the reading completes an interval. Invalid pressures are ignored.
    mutating func process(_ pressure: Double, at time: BootTime) -> Value? {
        guard pressure.isFinite, pressure > 0 else { return nil }
        guard let start, time > last else {
            // The first reading starts a new interval, and so does a reading that is not later than the previous one.
            (self.start, last, count) = (time, time, 0)
            add(pressure)
            return nil
        }
        let step = time.seconds(since: last)
        last = time
        // During a gap, the pressure may have changed, so the readings from before the gap are discarded. The reading
        // after the gap completes the interval.
        if step > Self.interval { count = 0 }
        add(pressure)
        // This reading completes the interval if it is closer to the interval's end than the next reading, which is
        // expected `step` seconds later.
        let halfStep = min(step, Self.interval) / 2
        guard time.seconds(since: start) >= Self.interval - halfStep else { return nil }
        let deviation = count > 1 ? (squares / Double(count - 1)).squareRoot() : .nan
        self.start = time
        defer { count = 0 }
        return Value(pressure: mean, deviation: deviation, time: time)
    }

    private mutating func add(_ pressure: Double) {
        if count == 0 { (mean, squares) = (0, 0) }
        count += 1
        let difference = pressure - mean
        mean += difference / Double(count)
        squares += difference * (pressure - mean)
    }
}
