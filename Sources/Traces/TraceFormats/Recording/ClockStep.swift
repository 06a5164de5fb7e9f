// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A point in a recording, between two readings, at which the clock was set back.
struct ClockStepBack: Sendable, Hashable {
    /// The index, in file order, of the first reading after the step.
    var index: Int
    /// The latest time before the step and the first time after the step, in nanoseconds.
    var before: Int64
    var after: Int64
    /// The offset, in nanoseconds, to add to the times after the step, so that the first of them follows ``before`` at
    /// the usual interval.
    var correction: Int64

    static func remark(_ count: Int, longest: Int64) -> String {
        let frequency = count == 1 ? "once" : "\(count) times"
        let seconds = (Double(longest) / 1e8).rounded() / 10
        return
            "The clock was set back \(frequency), by up to \(seconds) s; in the trace, later readings follow earlier ones."
    }
}

extension [Int64] {
    /// The range of clock steps that are detected, in nanoseconds: one second to one year. Smaller steps are ignored,
    /// because a sensor's readings are often delivered in batches that arrive up to one second late. After a larger
    /// step, the readings are assumed not to continue the recording.
    private static let stepRange = Int64(1_000_000_000)...31_536_000_000_000_000
    /// A step is detected only if at least this many readings follow it, and their time range also contains at least
    /// this many readings from before the step.
    private static let minimumReadings = 3
    /// The maximum number of readings after a possible step, per earlier reading in the same time range. If there are
    /// more, they are assumed to be late readings that fill a gap.
    private static let maximumReadingsPerEarlierReading = 10
    /// The approximate number of readings compared to detect a repeated part of the recording.
    private static let comparedReadings = 256
    /// The maximum number of steps. A larger number indicates interleaved readings from several devices.
    private static let maximumSteps = 8

    /// Returns the points at which the clock was set back during a recording.
    ///
    /// After a step, the clock repeats times that already occurred before the step. Sorting would therefore interleave
    /// the readings from before and after the step. Times also decrease in three other cases, which are not reported as
    /// steps:
    ///
    /// - late readings that fill a gap,
    /// - readings from several devices, which alternate between two time ranges,
    /// - repeated parts, which have the times and values of earlier readings.
    ///
    /// - Parameter isSame: A closure that returns true if the readings at two indices have equal values.
    func clockSteps(isSame: (Int, Int) -> Bool) -> [ClockStepBack] {
        var steps: [ClockStepBack] = []
        // The index of the first reading after the last step. Readings before it are on a different time scale.
        var start = 0
        var latest = 0
        for index in indices.dropFirst() {
            if self[index] >= self[latest] { latest = index }
            // A run begins where the time decreases. Only the first reading of each run is examined.
            guard self[index] < self[index - 1],
                Self.stepRange.contains(self[latest].subtractingSaturated(self[index]))
            else { continue }
            let end = endOfRun(at: index, below: self[latest])
            // If the run ends with another large jump, in either direction, the readings are from several devices, and
            // no step is reported.
            if end < count, self[end].subtractingSaturated(self[end - 1]).magnitude > (self[latest] - self[index]) / 2 {
                return []
            }
            guard let interval = interval(of: index..<end, between: start...latest, isSame) else { continue }
            let amount = self[latest] - self[index] + interval
            steps.append(ClockStepBack(index: index, before: self[latest], after: self[index], correction: amount))
            guard steps.count <= Self.maximumSteps else { return [] }
            (start, latest) = (index, index)
        }
        return steps
    }

    /// Returns the end of the run that begins at `index`. Within a run, times do not decrease and do not exceed `high`.
    private func endOfRun(at index: Int, below high: Int64) -> Int {
        var end = index + 1
        while end < count, self[end] <= high, self[end] >= self[end - 1] { end += 1 }
        return end
    }

    /// Returns the mean interval between the readings of a run that begins with a clock step. Returns nil if there is
    /// no clock step, because the run is too short, too few earlier readings are in its time range, or it repeats
    /// earlier readings.
    private func interval(
        of run: Range<Int>, between former: ClosedRange<Int>, _ isSame: (Int, Int) -> Bool
    ) -> Int64? {
        let (index, end, later) = (run.lowerBound, run.upperBound, run.count)
        let length = self[end - 1] - self[index]
        guard later >= Self.minimumReadings, length > 0 else { return nil }
        let earlier = self[former]
        let between = earlier.lowerBound(of: self[end - 1].addingSaturated(1)) - earlier.lowerBound(of: self[index])
        guard between >= Swift.max(Self.minimumReadings, later / Self.maximumReadingsPerEarlierReading) else {
            return nil
        }
        let sampledIndices = stride(from: index, to: end, by: Swift.max(1, later / Self.comparedReadings)).map(\.self)
        let repeatedCount = sampledIndices.count { sampledIndex in
            let other = earlier.lowerBound(of: self[sampledIndex])
            return other < earlier.endIndex && earlier[other] == self[sampledIndex] && isSame(other, sampledIndex)
        }
        return 2 * repeatedCount < sampledIndices.count ? length / Int64(later - 1) : nil
    }

    /// After each clock step, shifts the later times so that they follow on from the earlier ones. The steps may have
    /// been detected in another track.
    mutating func correct(_ steps: [ClockStepBack]) {
        var index = 0
        var offset: Int64 = 0
        for step in steps {
            // In this track, the step is at the first reading whose time decreases or is later than `step.before`.
            while index < count, self[index] <= step.before, index == 0 || !isStep(at: index, offset: offset, step) {
                self[index] = self[index].addingSaturated(offset)
                index += 1
            }
            offset = offset.addingSaturated(step.correction)
            guard index < count else { return }
            self[index] = self[index].addingSaturated(offset)
            index += 1
        }
        while index < count {
            self[index] = self[index].addingSaturated(offset)
            index += 1
        }
    }

    /// Returns true if `step` is at `index`. At a step, the time decreases but is not earlier than `step.after`. The
    /// preceding time has already been shifted by `offset`, so the time at `index` is also shifted for the comparison.
    private func isStep(at index: Int, offset: Int64, _ step: ClockStepBack) -> Bool {
        self[index].addingSaturated(offset) < self[index - 1] && self[index] >= step.after
    }
}

extension ArraySlice<Int64> {
    /// Returns the index of the first time at or after `time`, found by binary search.
    fileprivate func lowerBound(of time: Int64) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Detects times that a logger wrote before its clock was set. Such times are zero, or count from the moment when the
/// logger was switched on, but are stored as times since 1970.
enum UnsetClock {
    /// 6 January 1980, in nanoseconds since 1970. No receiver reports an earlier time.
    static let gpsEpoch: Int64 = 315_964_800_000_000_000

    /// Returns true if a time, in nanoseconds since 1970, comes from a clock that had not been set. If `isSetLater` is
    /// true, the recording also contains times after ``gpsEpoch``, so every time before ``gpsEpoch`` is from an unset
    /// clock. If it is false, only times in the first second of 1970 are treated as such. Later times are kept, because
    /// the intervals between them are correct.
    static func produced(_ time: Int64, isSetLater: Bool) -> Bool {
        isSetLater ? time < gpsEpoch : (0..<1_000_000_000).contains(time)
    }

    static let message = "is from a clock that was not set, and was ignored"
}
