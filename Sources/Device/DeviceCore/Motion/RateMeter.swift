// SPDX-License-Identifier: Apache-2.0

/// Measures the rate of a sensor from the time stamps of its readings.
///
/// Computes the mean over a window of one to two seconds. A gap of more than one second restarts the measurement.
struct RateMeter {
    /// The minimum duration of a window and the longest gap in it, in nanoseconds.
    private static let window: Int64 = 1_000_000_000
    private static let maximumGap: Int64 = 1_000_000_000

    private var start: BootTime?
    private var last = BootTime.zero
    private var count = 0
    private var previousRate: Double?

    /// The rate in hertz; nil until the readings span 0.1 s.
    var rate: Double? {
        guard let start, count > 0 else { return previousRate }
        let seconds = last.seconds(since: start)
        if seconds < 0.1 { return previousRate }
        let current = Double(count) / seconds
        // A new window is less accurate than the previous one.
        guard let previousRate, last.nanoseconds.subtractingSaturated(start.nanoseconds) < Self.window / 2 else {
            return current
        }
        return previousRate
    }

    /// Records the time stamps of a batch.
    ///
    /// - Parameter thinning: The decimation factor of the batch.
    mutating func record(_ times: [BootTime], decimationFactor: Int = 1) {
        guard let first = times.first, let newest = times.last else { return }
        guard let start, newest > last, first.nanoseconds.subtractingSaturated(last.nanoseconds) <= Self.maximumGap
        else {
            self.start = first
            last = newest
            count = (times.count - 1) * decimationFactor
            previousRate = nil
            return
        }
        count += times.count * decimationFactor
        last = newest
        guard newest.nanoseconds.subtractingSaturated(start.nanoseconds) >= Self.window else { return }
        previousRate = Double(count) / newest.seconds(since: start)
        self.start = newest
        count = 0
    }
}
