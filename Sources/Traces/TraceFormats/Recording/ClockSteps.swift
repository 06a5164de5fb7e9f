// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A clock that was set back between two readings of a track.
struct ClockStep: Sendable, Hashable {
    /// The place of the first reading afterwards, in the order of the file.
    var place: Int
    /// What the clock showed before, at most, and afterwards.
    var before: Int64
    var after: Int64
    /// By how much times have to be moved to go on at the usual interval, nanoseconds.
    var amount: Int64

    /// What is told of so many.
    static func remark(_ count: Int, longest: Int64) -> String {
        let often = count == 1 ? "once" : "\(count) times"
        let seconds = (Double(longest) / 1e8).rounded() / 10
        return
            "The clock was set back \(often), by up to \(seconds) s: what was measured afterwards stands behind what was measured before."
    }
}

extension [Int64] {
    /// Nanoseconds by which a clock is set back at least; readings of sensors that deliver in batches are later than others
    /// by less. And at most, a year: what is farther back was not measured behind the rest.
    private static let stepRange = Int64(1_000_000_000)...31_536_000_000_000_000
    /// So many readings on both sides tell two rows of times from a reading that came late.
    private static let fewest = 3
    /// One of so many stands between earlier ones at least, or they fill a hole.
    private static let fewestBetween = 10
    /// So many tell whether a part stands there twice.
    private static let samples = 256
    /// Nobody sets a clock more often during a recording: the readings are of several devices.
    private static let mostSteps = 8

    /// Where a clock was set back during a recording.
    ///
    /// Sorted, readings of such a clock would stand between those that were measured earlier. Readings that came late fill a
    /// hole, those of two devices jump to and fro, and ones that stand there twice are those of the same time once more: they
    /// are none.
    ///
    /// - Parameter isSame: whether the readings of two places are the same.
    func clockSteps(isSame: (Int, Int) -> Bool) -> [ClockStep] {
        var steps: [ClockStep] = []
        // Behind the last step; times before belong to another clock, so to speak.
        var start = 0
        var latest = 0
        for index in indices.dropFirst() {
            if self[index] >= self[latest] { latest = index }
            // What follows the first one behind is looked at with it.
            guard self[index] < self[index - 1],
                Self.stepRange.contains(self[latest].subtractingSaturated(self[index]))
            else { continue }
            let end = endOfRun(at: index, below: self[latest])
            // Back again by about as much, forwards or once more backwards: several devices.
            if end < count, self[end].subtractingSaturated(self[end - 1]).magnitude > (self[latest] - self[index]) / 2 {
                return []
            }
            guard let interval = interval(of: index..<end, between: start...latest, isSame) else { continue }
            let amount = self[latest] - self[index] + interval
            steps.append(ClockStep(place: index, before: self[latest], after: self[index], amount: amount))
            guard steps.count <= Self.mostSteps else { return [] }
            (start, latest) = (index, index)
        }
        return steps
    }

    /// Where times that rise from a place on end, or are higher than that.
    private func endOfRun(at index: Int, below high: Int64) -> Int {
        var end = index + 1
        while end < count, self[end] <= high, self[end] >= self[end - 1] { end += 1 }
        return end
    }

    /// The interval of a run of times that are long before the latest, where it goes on between those that were there
    /// already; nil when it does not.
    private func interval(
        of run: Range<Int>, between former: ClosedRange<Int>, _ isSame: (Int, Int) -> Bool
    ) -> Int64? {
        let (index, end, later) = (run.lowerBound, run.upperBound, run.count)
        let length = self[end - 1] - self[index]
        guard later >= Self.fewest, length > 0 else { return nil }
        let earlier = self[former]
        let between = earlier.place(of: self[end - 1].addingSaturated(1)) - earlier.place(of: self[index])
        guard between >= Swift.max(Self.fewest, later / Self.fewestBetween) else { return nil }
        let places = stride(from: index, to: end, by: Swift.max(1, later / Self.samples)).map(\.self)
        let same = places.count { place in
            let other = earlier.place(of: self[place])
            return other < earlier.endIndex && earlier[other] == self[place] && isSame(other, place)
        }
        return 2 * same < places.count ? length / Int64(later - 1) : nil
    }

    /// Moves what a clock that was set back measured behind what came before.
    ///
    /// - Parameter steps: those of a track with shorter intervals, whose readings stand in the same rows.
    mutating func undo(_ steps: [ClockStep]) {
        var place = 0
        var offset: Int64 = 0
        for step in steps {
            // The first that is behind another one, or later than the clock had shown.
            while place < count, self[place] <= step.before, place == 0 || !isFall(place, offset, step) {
                self[place] = self[place].addingSaturated(offset)
                place += 1
            }
            offset = offset.addingSaturated(step.amount)
            guard place < count else { return }
            self[place] = self[place].addingSaturated(offset)
            place += 1
        }
        while place < count {
            self[place] = self[place].addingSaturated(offset)
            place += 1
        }
    }

    /// True for a reading that is not yet moved and behind the one before it, which is, as that step makes it.
    private func isFall(_ place: Int, _ offset: Int64, _ step: ClockStep) -> Bool {
        self[place].addingSaturated(offset) < self[place - 1] && self[place] >= step.after
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
