// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Reconstructs the intervals of a regular sensor whose timestamps are rounded to hundredths or thousandths of a
/// second.
///
/// Programs and files often store timestamps with only a few digits. For example, at 95 samples per second, the
/// interval is 10.5 ms. With a resolution of 10 ms, most intervals become 10 ms, and every twentieth becomes 20 ms. If
/// all timestamps in a window fit a sequence with a constant period, the intervals are taken from that sequence. The
/// sequence never differs from the timestamps by more than `maximumDistance`. If the timestamps are irregular, or if
/// samples are lost repeatedly, the timestamps are used unchanged.
struct RoundedTimestampRestorer: Sendable, Equatable {
    private static let window = 128
    /// The gains for correcting the sequence and its period when a timestamp deviates from the sequence.
    private static let phaseGain = 0.01
    private static let periodGain = 3e-5
    /// The tolerance for counting periods, as a fraction of a period. A remainder within this tolerance does not count
    /// as another period.
    private static let slack = 0.25
    /// The maximum distance between the sequence and a timestamp, in rounding units: half a unit for rounding, plus a
    /// margin for jitter.
    private static let maximumDistance = 0.6
    private static let tolerance = 1e-6
    /// The number of recent outliers after which the sequence is discarded.
    private static let maximumOutliers = 4.0
    /// The number of rounding units per second, or zero if the timestamps are not rounded.
    private var unitsPerSecond = 100.0
    /// The number of timestamps in the first window. `steps` holds the differences between them, in rounding units.
    private var count = 0
    private var steps = InlineArray<128, UInt8>(repeating: 0)
    private var last = 0.0
    private var sequenceTime = 0.0
    /// The period of the sequence in seconds, or zero until it is known.
    private var period = 0.0
    private var outliers = 0.0

    /// Returns the interval before a timestamp, or nil if the caller must compute it from the timestamps.
    @inline(__always)
    mutating func interval(to stamp: Double) -> Double? { unitsPerSecond == 0 ? nil : restoredInterval(to: stamp) }

    /// Restarts the sequence, but keeps the rounding unit.
    mutating func restart() { (count, period) = (0, 0) }

    /// Written by hand, because InlineArray is not Equatable. Ignores `outliers` and the first window's data.
    static func == (left: RoundedTimestampRestorer, right: RoundedTimestampRestorer) -> Bool {
        left.unitsPerSecond == right.unitsPerSecond && left.count == right.count
            && left.sequenceTime == right.sequenceTime && left.period == right.period
    }

    @inline(never) private mutating func restoredInterval(to stamp: Double) -> Double? {
        let scaled = stamp * unitsPerSecond
        guard abs(scaled - scaled.rounded()) <= Self.tolerance * unitsPerSecond else {
            unitsPerSecond = unitsPerSecond == 100 ? 1000 : 0
            restart()
            return nil
        }
        guard period > 0 else {
            collect(stamp)
            return nil
        }
        let maximumError = Self.maximumDistance / unitsPerSecond
        // Counts the smallest number of periods compatible with the timestamp, so that a timestamp that was rounded up
        // does not suggest a lost sample.
        let passedPeriods = max(1, ((stamp - maximumError - sequenceTime) / period - Self.slack).rounded(.up))
        let before = sequenceTime
        sequenceTime += passedPeriods * period
        let error = stamp - sequenceTime
        outliers = 0.95 * outliers + (abs(error) > maximumError ? 1 : 0)
        guard outliers < Self.maximumOutliers else {
            restart()
            return nil
        }
        period += Self.periodGain * error / passedPeriods
        sequenceTime = min(max(sequenceTime + Self.phaseGain * error, stamp - maximumError), stamp + maximumError)
        return sequenceTime > before ? sequenceTime - before : nil
    }

    /// Adds a timestamp to the first window and computes the period once the window is full.
    private mutating func collect(_ stamp: Double) {
        steps[count] = count == 0 ? 0 : UInt8(min(((stamp - last) * unitsPerSecond).rounded(), 255))
        last = stamp
        count += 1
        guard count == Self.window else { return }
        count = 0
        let middle = Double(Self.window - 1) / 2
        var (position, sum, products, squares) = (0.0, 0.0, 0.0, 0.0)
        for index in 0..<Self.window {
            position += Double(steps[index])
            let offset = Double(index) - middle
            sum += position
            products += offset * position
            squares += offset * offset
        }
        let (mean, slope) = (sum / Double(Self.window), products / squares)
        var (minimum, maximum) = (0.0, 0.0)
        position = 0
        for index in 0..<Self.window {
            position += Double(steps[index])
            let rest = position - mean - (Double(index) - middle) * slope
            (minimum, maximum) = (min(minimum, rest), max(maximum, rest))
        }
        // Rounding changes each timestamp by at most half a unit.
        guard maximum - minimum < 2 * Self.maximumDistance, slope > 0 else { return }
        period = slope / unitsPerSecond
        sequenceTime = stamp - (position - mean - middle * slope) / unitsPerSecond
        outliers = 0
    }
}
