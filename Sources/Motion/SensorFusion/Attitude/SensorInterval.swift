// SPDX-License-Identifier: Apache-2.0

/// Computes the intervals between the samples of one sensor from their timestamps.
@usableFromInline
struct SensorInterval: Sendable, Equatable {
    enum Step: Sendable {
        /// The sample follows the previous one after `interval`.
        case next
        /// The first sample, or the first sample after an interruption. The interval before the sample is unknown.
        case start
        /// The sample is ignored because it is a duplicate, late, or has an invalid timestamp.
        case ignored
    }

    /// The interval before the latest sample, in seconds. For a first sample, this is the nominal interval, or zero if
    /// that is unknown.
    private(set) var interval: Double
    /// The timestamp of the latest sample in seconds; minus infinity before the first sample.
    @usableFromInline private(set) var timestamp = -Double.infinity

    private var timestampRestorer = RoundedTimestampRestorer()
    /// The interval above which the stream counts as interrupted, in seconds.
    private var limit: Double
    private let maximumGap: Double
    /// The clock is considered to be set back if a sample precedes the previous one by more than this time, in seconds.
    private let clockStepThreshold: Double
    private let nominal: Double
    /// The upper bound, in seconds, to which `limit` adapts in a slow but regular stream.
    private let maximumAdaptiveGap: Double

    /// - Parameter nominal: The nominal interval in seconds; zero if unknown.
    init(nominal: Double = 0, maximumGap: Double, slowest: Double, setBack: Double? = nil) {
        (self.nominal, self.maximumGap, self.maximumAdaptiveGap) = (nominal, maximumGap, slowest)
        self.clockStepThreshold = setBack ?? maximumGap
        interval = nominal
        limit = maximumGap
    }

    @inline(__always)
    mutating func step(to newTimestamp: Double) -> Step {
        let seconds = newTimestamp - timestamp
        // The comparison is false for NaN and for the infinite interval before the first sample.
        guard seconds > 0, seconds <= limit else { return interrupted(by: newTimestamp) }
        timestamp = newTimestamp
        interval = nominal > 0 ? snapped(seconds) : timestampRestorer.interval(to: newTimestamp) ?? seconds
        if seconds > maximumGap / 3 || limit > maximumGap { adapt(to: seconds) }
        return .next
    }

    @inline(never)
    private mutating func interrupted(by newTimestamp: Double) -> Step {
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

    /// Returns the nearest multiple of the nominal interval if the interval is close to that multiple, which removes
    /// timestamp jitter. Otherwise returns the interval unchanged.
    @inline(__always)
    private func snapped(_ seconds: Double) -> Double {
        let count = Double(Int32(min(seconds / nominal, 1e9) + 0.5))
        let snapped = count * nominal
        return count >= 1 && abs(seconds - snapped) < nominal / 4 ? snapped : seconds
    }
}

/// Detects a stuck sensor, which repeats a reading exactly although its readings changed before.
///
/// A working sensor with noise rarely returns the same three numbers twice in a row. However, a sensor with a low
/// resolution repeats readings at rest, and a sensor that is polled faster than it measures always repeats them.
/// Therefore, the detector first learns the usual share of repeated readings.
struct StuckSensorDetector: Sendable {
    /// The sensor is considered stuck after this many repetitions of a reading.
    private static let maximumRepetitions = 5
    /// If the share of repeated readings is higher, repetitions do not indicate a stuck sensor.
    private static let maximumRepeatedShare = 0.1
    /// The number of readings over which the share is averaged.
    private static let averagingCount = 200.0

    private var last = SIMD4<Double>.zero
    private var run = 0
    /// The share of readings that equal the previous one; initially 1, so that no sensor is considered stuck.
    private var share = 1.0

    /// Processes a reading. Returns true while the sensor is stuck.
    @inline(__always)
    mutating func isStuck(_ reading: SIMD4<Double>) -> Bool {
        guard reading == last else {
            last = reading
            run = 0
            share -= share / Self.averagingCount
            return false
        }
        return repeats()
    }

    @inline(never)
    private mutating func repeats() -> Bool {
        run += 1
        guard share < Self.maximumRepeatedShare, run >= Self.maximumRepetitions else {
            share += (1 - share) / Self.averagingCount
            return false
        }
        return true
    }
}
