// SPDX-License-Identifier: Apache-2.0

/// The samples that wait in the kernel's buffer: a bounded queue that loses the newest when it is full.
struct SampleQueue: Sendable {
    private(set) var count: Int64 = 0
    /// The first sample that has not come yet.
    private(set) var filled: Int64 = 0
    /// The ranges that wait, oldest first; a gap is what was lost.
    private var ranges: [Range<Int64>] = []

    init(from first: Int64) { filled = first }

    /// Samples up to there have come.
    mutating func fill(to released: Int64, capacity: Int64) {
        guard released > filled else { return }
        let taken = min(released - filled, max(0, capacity - count))
        if taken > 0 {
            if let last = ranges.last, last.upperBound == filled {
                ranges[ranges.count - 1] = last.lowerBound..<filled + taken
            } else {
                ranges.append(filled..<filled + taken)
            }
            count += taken
        }
        filled = released
    }

    /// Samples up to there have come and are lost.
    mutating func lose(to released: Int64) { filled = max(filled, released) }

    /// The number of the oldest that waits, or of the next to come.
    var first: Int64 { ranges.first?.lowerBound ?? filled }

    /// Takes the oldest out, in ranges without gaps.
    mutating func take(_ wanted: Int64) -> [Range<Int64>] {
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
