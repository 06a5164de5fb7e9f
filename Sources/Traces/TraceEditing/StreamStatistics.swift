// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct StreamStatistics {
    /// The maximum size of a stream's `intervals` array, and of its `longIntervals` array.
    static let maximumIntervals = 4096

    private struct Key: Hashable {
        var kind: String
        var origin: String
    }

    struct Meter {
        var stream: TraceSummary.Stream
        var intervals: [Int64] = []
        /// The intervals of at least one second. Those longer than five times the median interval are gaps.
        var longIntervals: [Int64] = []
    }

    private var indices: [Key: Int] = [:]
    private var meters: [Meter] = []

    mutating func record(_ kind: String, _ origin: String, at time: Int64) {
        let key = Key(kind: kind, origin: origin)
        guard let index = indices[key] else {
            guard meters.count < TraceSummary.maximumStreams else {
                // Events of any streams beyond the maximum are counted in the last stream.
                meters[meters.count - 1].stream.count += 1
                return
            }
            indices[key] = meters.count
            var stream = TraceSummary.Stream(kind: kind, origin: origin)
            (stream.count, stream.first, stream.last) = (1, time, time)
            meters.append(Meter(stream: stream))
            return
        }
        meters[index].record(time)
    }

    var streams: [TraceSummary.Stream] { meters.map(\.result) }
}

extension StreamStatistics.Meter {
    mutating func record(_ time: Int64) {
        let interval = max(time.subtractingSaturated(stream.last), 0)
        stream.count += 1
        if interval > stream.longestInterval {
            stream.longestInterval = interval
            stream.longestStart = stream.last
        }
        stream.last = max(stream.last, time)
        if intervals.count < StreamStatistics.maximumIntervals { intervals.append(interval) }
        if interval >= 1_000_000_000, longIntervals.count < StreamStatistics.maximumIntervals {
            longIntervals.append(interval)
        }
    }

    var result: TraceSummary.Stream {
        var result = stream
        guard !intervals.isEmpty else { return result }
        result.interval = intervals.sorted()[intervals.count / 2]
        result.gapCount = longIntervals.count { Double($0) > 5 * Double(result.interval) }
        return result
    }
}
