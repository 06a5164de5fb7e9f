// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension [Int64] {
    /// Nanoseconds by which a clock is set back at least; readings that come late are not looked at so closely.
    private static let shortestStep: Int64 = 100_000_000
    /// So many readings on both sides tell two rows of times from a reading that came late.
    private static let fewest = 3
    /// One of so many stands between earlier ones at least, or they fill a hole.
    private static let fewestBetween = 10
    /// So many tell whether a part stands there twice.
    private static let samples = 256

    /// Moves what was measured by a clock that had been set back behind what came before, at the usual interval.
    ///
    /// Sorted, such readings would stand between those that were measured earlier. Readings that came late fill a hole, and
    /// ones that stand there twice are those of the same time once more: both stay.
    ///
    /// - Parameters:
    ///   - known: by how much others of the same recording were moved, in the same order. Where it is about the same,
    ///     theirs counts, so that all stay together.
    ///   - isSame: whether the readings of two places are the same.
    /// - Returns: by how much, in nanoseconds, each time that the clock was set back.
    mutating func undoClockSteps(like known: [Int64], isSame: (Int, Int) -> Bool) -> [Int64] {
        var steps: [Int64] = []
        var offset: Int64 = 0
        var latest = 0
        for index in indices {
            self[index] = self[index].addingSaturated(offset)
            let back = self[latest].subtractingSaturated(self[index])
            if back <= 0 { latest = index }
            // What follows the first one behind is looked at with it.
            guard back > Self.shortestStep, self[index] < self[index - 1],
                let usual = intervalOfStep(at: index, from: latest, offset, isSame)
            else { continue }
            var step = back.addingSaturated(usual)
            if steps.count < known.count, case let other = known[steps.count],
                abs(other.subtractingSaturated(step)) <= usual
            {
                step = Swift.max(other, back)
            }
            steps.append(step)
            offset = offset.addingSaturated(step)
            self[index] = self[index].addingSaturated(step)
            latest = index
        }
        return steps
    }

    /// The interval at which times go on from one that is long before the latest, between those that were there already; nil
    /// when they do not.
    private func intervalOfStep(
        at index: Int, from latest: Int, _ offset: Int64, _ isSame: (Int, Int) -> Bool
    ) -> Int64? {
        var last = self[index]
        var end = index + 1
        // Times that jump to and fro are of two devices.
        while end < count, case let time = self[end].addingSaturated(offset), time <= self[latest], time >= last {
            last = time
            end += 1
        }
        let later = end - index
        guard later >= Self.fewest, last > self[index] else { return nil }
        let former = self[...latest]
        let between = former.place(of: last.addingSaturated(1)) - former.place(of: self[index])
        guard between >= Swift.max(Self.fewest, later / Self.fewestBetween) else { return nil }
        let places = stride(from: index, to: end, by: Swift.max(1, later / Self.samples)).map(\.self)
        let same = places.count { place in
            let time = place == index ? self[index] : self[place].addingSaturated(offset)
            let other = former.place(of: time)
            return other < former.endIndex && former[other] == time && isSame(other, place)
        }
        return 2 * same < places.count ? (last - self[index]) / Int64(later - 1) : nil
    }
}

extension ArraySlice<Int64> {
    /// The place of the first that is not before a time, of times that rise, or nearly so.
    fileprivate func place(of time: Int64) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
