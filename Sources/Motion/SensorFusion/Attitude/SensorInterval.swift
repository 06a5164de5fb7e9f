// SPDX-License-Identifier: Apache-2.0

/// Computes the intervals between the samples of one sensor from their timestamps.
@usableFromInline struct SensorInterval: Sendable, Equatable {
    enum Step: Sendable {
        case next
        /// The first sample, or the first sample after an interruption. The interval before this sample is unknown.
        case start
        /// The sample is a duplicate, is late, or has an invalid timestamp.
        case ignored
    }

    /// The interval before the latest sample, in seconds. For a first sample, this is the nominal interval, or zero if
    /// no nominal interval is known.
    private(set) var interval: Double
    /// The timestamp of the latest sample in seconds, or minus infinity before the first sample.
    @usableFromInline private(set) var timestamp = -Double.infinity

    private var timestampRestorer = RoundedTimestampRestorer()
    /// The longest interval that does not count as an interruption of the stream, in seconds.
    private var limit: Double
    private let maximumGap: Double
    /// A sample older than the previous one by more than this time, in seconds, indicates that the clock was set back.
    private let clockStepThreshold: Double
    private let nominal: Double
    /// The maximum value of `limit`, in seconds. `limit` is increased for streams that are slow but regular.
    private let maximumAdaptiveGap: Double

    /// - Parameter nominal: The nominal interval in seconds, or zero if it is unknown.
    init(nominal: Double = 0, maximumGap: Double, maximumAdaptiveGap: Double, clockStepThreshold: Double? = nil) {
        (self.nominal, self.maximumGap, self.maximumAdaptiveGap) = (nominal, maximumGap, maximumAdaptiveGap)
        self.clockStepThreshold = clockStepThreshold ?? maximumGap
        interval = nominal
        limit = maximumGap
    }

    @inline(__always) mutating func step(to newTimestamp: Double) -> Step {
        let seconds = newTimestamp - timestamp
        // This comparison is false for NaN and for the infinite interval before the first sample.
        guard seconds > 0, seconds <= limit else { return interrupted(by: newTimestamp) }
        timestamp = newTimestamp
        interval = nominal > 0 ? snapped(seconds) : timestampRestorer.interval(to: newTimestamp) ?? seconds
        if seconds > maximumGap / 3 || limit > maximumGap { adapt(to: seconds) }
        return .next
    }

    @inline(never) private mutating func interrupted(by newTimestamp: Double) -> Step {
        guard newTimestamp.isFinite else { return .ignored }
        let seconds = newTimestamp - timestamp
        if seconds <= 0, !(seconds < -clockStepThreshold) { return .ignored }
        timestamp = newTimestamp
        timestampRestorer.restart()
        interval = nominal
        limit = maximumGap
        if seconds > 0, seconds.isFinite { adapt(to: seconds) }
        return .start
    }

    @inline(never)
    private mutating func adapt(to seconds: Double) { limit = max(maximumGap, min(3 * seconds, maximumAdaptiveGap)) }

    /// Removes timestamp jitter by rounding to the nearest multiple of the nominal interval. If no multiple is close,
    /// returns the interval unchanged.
    @inline(__always) private func snapped(_ seconds: Double) -> Double {
        let count = Double(Int32(min(seconds / nominal, 1e9) + 0.5))
        let snapped = count * nominal
        return count >= 1 && abs(seconds - snapped) < nominal / 4 ? snapped : seconds
    }
}

/// Detects a stuck sensor, which keeps returning exactly the same reading even though its readings varied before.
///
/// A working sensor with noise rarely returns the same three numbers twice in a row. However, a low-resolution sensor
/// repeats readings at rest, and a sensor that is polled faster than it measures always repeats them. The detector
/// therefore first learns the usual share of repeated readings.
struct StuckSensorDetector: Sendable {
    /// The number of repetitions after which the sensor is considered stuck.
    private static let maximumRepetitions = 5
    /// The usual fraction of repeated readings above which repetitions do not indicate a stuck sensor.
    private static let maximumRepeatedShare = 0.1
    private static let averagingCount = 200.0

    private var last = SIMD4<Double>.zero
    private var run = 0
    /// The fraction of readings that repeat the previous one. It starts at 1, as if repetitions were normal, so that no
    /// sensor is reported as stuck before there is enough data.
    private var share = 1.0

    @inline(__always) mutating func isStuck(_ reading: SIMD4<Double>) -> Bool {
        guard reading == last else {
            last = reading
            run = 0
            share -= share / Self.averagingCount
            return false
        }
        return repeats()
    }

    @inline(never) private mutating func repeats() -> Bool {
        run += 1
        guard share < Self.maximumRepeatedShare, run >= Self.maximumRepetitions else {
            share += (1 - share) / Self.averagingCount
            return false
        }
        return true
    }
}
