// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A counter of the intervals between readings, in bounded memory.
///
/// The resolution is 1 µs. It becomes coarser by powers of ten if there are too many different intervals.
package struct IntervalCounter: Sendable {
    /// The maximum number of different intervals.
    static let limit = 65_536

    /// The resolution, in microseconds.
    private var quantum: Int64 = 1
    private var counts: [Int64: Int] = [:]
    private var previous: Double?
    /// The number of intervals.
    package private(set) var count = 0
    /// The number of readings.
    package private(set) var readings = 0

    package init() {}

    /// Adds a reading.
    ///
    /// - Parameter time: The time of the reading, in seconds.
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

    /// The different intervals in seconds with their counts, in ascending order.
    package var sorted: [(interval: Double, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (Double($0.key) / 1e6, $0.value) }
    }

    /// The median of the positive intervals, in seconds; nil if there is none.
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

    /// The interval in seconds above which a pause is a gap: slightly more than three times the median; nil with fewer
    /// than two intervals.
    package var gap: Double? { count < 2 ? nil : median.map { $0 * 3.05 } }
}
