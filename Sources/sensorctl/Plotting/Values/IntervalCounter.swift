// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Counts how often each interval between readings occurs, using bounded memory. The initial resolution is 1 µs. If
/// there are too many distinct intervals, the resolution is reduced by powers of ten.
package struct IntervalCounter: Sendable {
    static let limit = 65_536

    /// The resolution, in microseconds.
    private var quantum: Int64 = 1
    private var counts: [Int64: Int] = [:]
    private var previous: Double?
    package private(set) var count = 0
    package private(set) var readings = 0

    package init() {}

    /// Adds a reading. `time` is in seconds.
    package mutating func add(_ time: Double) {
        guard abs(time) < 1e12 else { return }
        readings += 1
        defer { previous = time }
        guard let previous else { return }
        count += 1
        let microseconds = Int64(((time - previous) * 1e6).rounded())
        counts[Self.rounded(microseconds, to: quantum), default: 0] += 1
        if counts.count > Self.limit { reduceResolution() }
    }

    private static func rounded(_ value: Int64, to quantum: Int64) -> Int64 {
        guard quantum > 1 else { return value }
        return Int64((Double(value) / Double(quantum)).rounded()) * quantum
    }

    private mutating func reduceResolution() {
        while counts.count > Self.limit / 2, quantum < 1_000_000_000_000_000 {
            quantum *= 10
            let former = counts
            counts = [:]
            for (interval, number) in former { counts[Self.rounded(interval, to: quantum), default: 0] += number }
        }
    }

    /// The distinct intervals in seconds and their counts, sorted by interval.
    package var sorted: [(interval: Double, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (Double($0.key) / 1e6, $0.value) }
    }

    /// The median of the positive intervals in seconds, or nil if there are none.
    package var median: Double? {
        let rising = sorted.filter { $0.interval > 0 }
        let half = (rising.reduce(0) { $0 + $1.count } + 1) / 2
        var sum = 0
        for (interval, number) in rising {
            sum += number
            if sum >= half { return interval }
        }
        return nil
    }

    /// True if 98 % of the intervals are within 20 % of the median.
    package var isRegular: Bool {
        guard let median, count > 0 else { return false }
        let usual = sorted.reduce(0) { abs($1.interval - median) <= median * 0.2 ? $0 + $1.count : $0 }
        return Double(usual) >= Double(count) * 0.98
    }

    /// The number of intervals, the median and the range, such as `9 of 10 ms, 9.98 to 10.1 ms`.
    var summary: String {
        let intervals = sorted
        guard let median, let least = intervals.first?.interval, let greatest = intervals.last?.interval else {
            return "none"
        }
        let range =
            least == greatest ? "" : ", from \(PlotText.seconds(least)) to \(PlotText.seconds(greatest))"
        return "\(PlotText.grouped(Double(count))) of \(PlotText.seconds(median))\(range)"
    }

    /// The threshold for a gap between readings, in seconds. It is slightly more than three times the median interval.
    package var gap: Double? { count < 2 ? nil : median.map { $0 * 3.05 } }
}

/// A histogram of the intervals between readings, with bins of equal width.
package struct IntervalHistogram: Sendable {
    /// The start of the first bin, in seconds.
    package let start: Double
    /// The bin width in seconds: 1, 2 or 5 times a power of ten.
    package let width: Double
    /// The number of intervals in each bin. A bin includes its start but excludes its end.
    package private(set) var counts: [Int]
    package private(set) var countBelow = 0
    package private(set) var countAbove = 0

    package var end: Double { start + width * Double(counts.count) }

    /// Returns the bins of an axis shared by all counters, or nil if there are no positive intervals.
    package static func axis(for counters: [IntervalCounter]) -> (start: Double, width: Double, bars: Int)? {
        let all = counters.filter { $0.count > 0 }
        let medians = all.compactMap(\.median)
        guard let typical = medians.max() else { return nil }
        let intervals = all.flatMap { $0.sorted.map(\.interval) }
        // Outliers are counted but not shown, because a single gap of an hour would hide all other intervals.
        let least = intervals.filter { $0 >= 0 }.min() ?? 0
        let greatest = intervals.filter { $0 <= typical * 3 }.max() ?? typical
        // The margin ensures that equal intervals fall into a single bin in the middle, despite rounding errors.
        let margin = max((greatest - least) * 0.05, typical * 0.05)
        let low = max(0, least - margin)
        let high = greatest + margin
        let width = niceStep(atLeast: (high - low) / 48)
        let first = (low / width + 1e-6).rounded(.down)
        let last = (high / width - 1e-6).rounded(.up)
        return (first * width, width, max(1, Int(last - first)))
    }

    package init(_ counter: IntervalCounter, axis: (start: Double, width: Double, bars: Int)) {
        (start, width) = (axis.start, axis.width)
        counts = Array(repeating: 0, count: axis.bars)
        for (interval, number) in counter.sorted {
            // The tolerance ensures that an interval on the boundary between two bins is counted in the upper bin,
            // despite rounding errors.
            let index = ((interval - start) / width + 1e-6).rounded(.down)
            if index < 0 {
                countBelow += number
            } else if index >= Double(counts.count) {
                countAbove += number
            } else {
                counts[Int(index)] += number
            }
        }
    }
}
