// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// How often readings follow one another how fast, in bars of equal width.
package struct IntervalHistogram: Sendable {
    /// Seconds at which the first bar begins.
    package let start: Double
    /// Seconds of a bar, 1, 2 or 5 times a power of ten.
    package let width: Double
    /// How many intervals each bar has: from its begin on, and less than its end.
    package private(set) var counts: [Int]
    /// How many were shorter than the first bar, and longer than the last one.
    package private(set) var before = 0
    package private(set) var beyond = 0

    package var end: Double { start + width * Double(counts.count) }

    /// - Parameter counters: those that share the axis.
    package static func axis(for counters: [IntervalCounter]) -> (start: Double, width: Double, bars: Int)? {
        let all = counters.filter { $0.count > 0 }
        let medians = all.compactMap(\.median)
        guard let typical = medians.max() else { return nil }
        let intervals = all.flatMap { $0.sorted.map(\.interval) }
        // What is far out is told in numbers: one gap of an hour would leave no room for the rest.
        let least = intervals.filter { $0 >= 0 }.min() ?? 0
        let greatest = intervals.filter { $0 <= typical * 3 }.max() ?? typical
        // Intervals that are all alike make one bar in the middle, and not the noise of rounding.
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
            // A little more than the rounding of both, so that an interval on a border belongs to the bar that it begins.
            let place = ((interval - start) / width + 1e-6).rounded(.down)
            if place < 0 {
                before += number
            } else if place >= Double(counts.count) {
                beyond += number
            } else {
                counts[Int(place)] += number
            }
        }
    }
}
