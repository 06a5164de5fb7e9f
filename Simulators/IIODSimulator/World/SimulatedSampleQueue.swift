// SPDX-License-Identifier: Apache-2.0

/// The samples in the kernel's buffer: a bounded queue that drops the newest samples when it is full.
struct SimulatedSampleQueue: Sendable {
    private(set) var count: Int64 = 0
    /// The sample number of the next sample to arrive.
    private(set) var nextSample: Int64 = 0
    /// The queued samples as ranges of sample numbers, oldest first. Gaps between ranges are lost samples.
    private var ranges: [Range<Int64>] = []

    init(from first: Int64) { nextSample = first }

    /// Appends the samples up to `released`. Samples beyond the capacity are lost.
    mutating func append(upTo released: Int64, capacity: Int64) {
        guard released > nextSample else { return }
        let taken = min(released - nextSample, max(0, capacity - count))
        if taken > 0 {
            if let last = ranges.last, last.upperBound == nextSample {
                ranges[ranges.count - 1] = last.lowerBound..<nextSample + taken
            } else {
                ranges.append(nextSample..<nextSample + taken)
            }
            count += taken
        }
        nextSample = released
    }

    /// Drops the samples up to `released`, which have arrived but are lost.
    mutating func skip(to released: Int64) { nextSample = max(nextSample, released) }

    /// The sample number of the oldest queued sample, or of the next one to arrive if the queue is empty.
    var first: Int64 { ranges.first?.lowerBound ?? nextSample }

    /// Removes up to `wanted` of the oldest samples and returns them as ranges without gaps.
    mutating func removeFirst(_ wanted: Int64) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        var left = min(wanted, count)
        count -= left
        while left > 0, let range = ranges.first {
            let taken = min(left, Int64(range.count))
            result.append(range.lowerBound..<range.lowerBound + taken)
            if taken == Int64(range.count) {
                ranges.removeFirst()
            } else {
                ranges[0] = range.lowerBound + taken..<range.upperBound
            }
            left -= taken
        }
        return result
    }
}
