// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Statistics of events, grouped by stream.
struct StreamMeters {
    /// The maximum number of intervals stored for the median.
    static let maximumIntervals = 4096

    private struct Key: Hashable {
        var kind: String
        var origin: String
    }

    struct Meter {
        var stream: TraceSummary.Stream
        var intervals: [Int64] = []
        /// Intervals of at least one second. Those longer than five median intervals are gaps.
        var long: [Int64] = []
    }

    private var places: [Key: Int] = [:]
    private var meters: [Meter] = []

    mutating func note(_ kind: String, _ origin: String, at time: Int64) {
        let key = Key(kind: kind, origin: origin)
        guard let index = places[key] else {
            guard meters.count < TraceSummary.maximumStreams else {
                meters[meters.count - 1].stream.count += 1
                return
            }
            places[key] = meters.count
            var stream = TraceSummary.Stream(kind: kind, origin: origin)
            (stream.count, stream.first, stream.last) = (1, time, time)
            meters.append(Meter(stream: stream))
            return
        }
        meters[index].note(time)
    }

    /// The statistics of all streams.
    var streams: [TraceSummary.Stream] { meters.map(\.result) }
}

extension StreamMeters.Meter {
    mutating func note(_ time: Int64) {
        let interval = max(time.subtractingSaturated(stream.last), 0)
        stream.count += 1
        if interval > stream.longestInterval {
            stream.longestInterval = interval
            stream.longestStart = stream.last
        }
        stream.last = max(stream.last, time)
        if intervals.count < StreamMeters.maximumIntervals { intervals.append(interval) }
        if interval >= 1_000_000_000, long.count < StreamMeters.maximumIntervals { long.append(interval) }
    }

    var result: TraceSummary.Stream {
        var result = stream
        guard !intervals.isEmpty else { return result }
        result.interval = intervals.sorted()[intervals.count / 2]
        result.gapCount = long.count { $0 > result.interval.multipliedReportingOverflow(by: 5).partialValue }
        return result
    }
}
