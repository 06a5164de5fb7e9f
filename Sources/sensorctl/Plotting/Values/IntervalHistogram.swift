// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A histogram of the intervals between readings, with bins of equal width.
package struct IntervalHistogram: Sendable {
    /// The start of the first bin, in seconds.
    package let start: Double
    /// The width of a bin, in seconds: 1, 2 or 5 times a power of ten.
    package let width: Double
    /// The number of intervals in each bin. A bin includes its start and excludes its end.
    package private(set) var counts: [Int]
    /// The number of intervals below the first bin.
    package private(set) var countBelow = 0
    package private(set) var countAbove = 0

    package var end: Double { start + width * Double(counts.count) }

    /// Returns the bins of a common axis; nil if there are no positive intervals.
    ///
    /// - Parameter counters: The counters that share the axis.
    package static func axis(for counters: [IntervalCounter]) -> (start: Double, width: Double, bars: Int)? {
        let all = counters.filter { $0.count > 0 }
        let medians = all.compactMap(\.median)
        guard let typical = medians.max() else { return nil }
        let intervals = all.flatMap { $0.sorted.map(\.interval) }
        // Outliers are reported as a number: a single gap of an hour would hide all other intervals.
        let least = intervals.filter { $0 >= 0 }.min() ?? 0
        let greatest = intervals.filter { $0 <= typical * 3 }.max() ?? typical
        // The margin places equal intervals in one bin in the middle, instead of showing the rounding noise.
        let room = max((greatest - least) * 0.05, typical * 0.05)
        let low = max(0, least - room)
        let high = greatest + room
        let width = niceStep(atLeast: (high - low) / 48)
        let first = (low / width + 1e-6).rounded(.down)
        let last = (high / width - 1e-6).rounded(.up)
        return (first * width, width, max(1, Int(last - first)))
    }

    package init(_ counter: IntervalCounter, axis: (start: Double, width: Double, bars: Int)) {
        (start, width) = (axis.start, axis.width)
        counts = Array(repeating: 0, count: axis.bars)
        for (interval, number) in counter.sorted {
            // The tolerance covers rounding errors: an interval on a boundary belongs to the bin that starts there.
            let place = ((interval - start) / width + 1e-6).rounded(.down)
            if place < 0 {
                countBelow += number
            } else if place >= Double(counts.count) {
                countAbove += number
            } else {
                counts[Int(place)] += number
            }
        }
    }
}
