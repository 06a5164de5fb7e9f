// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// The steps and activities of the last seven days, in bounded memory.
///
/// Steps are stored in intervals of up to ten seconds. If a query covers only part of an interval, a proportional share
/// of the interval's steps is counted.
struct StepLog: Sendable {
    struct StepInterval: Sendable, Hashable {
        /// The times of the first and last steps, in seconds since 1970.
        var start: Double
        var end: Double
        var totals = StepTotals()
    }

    struct Activity: Sendable, Hashable {
        /// The start time, in seconds since 1970.
        var start: Double
        /// The activity. An empty set marks the start of a period without detection.
        var activity: CarriedActivity
        var confidence: ActivityConfidence
    }

    /// The retention period, in seconds. Apple's documentation specifies seven days.
    static let retention = 7 * 86_400.0
    static let maximumIntervalDuration = 10.0
    /// The maximum number of intervals, enough for 45 hours of walking. If there are more, the oldest are dropped.
    static let maximumIntervals = 16_384
    static let maximumActivities = 4_096

    private(set) var intervals: [StepInterval] = []
    private(set) var activities: [Activity] = []

    init(intervals: [StepInterval] = [], activities: [Activity] = []) {
        (self.intervals, self.activities) = (intervals, activities)
    }

    mutating func add(_ step: CountedStep) {
        let time = step.time.seconds
        if let last = intervals.last, time >= last.end, time - last.start < Self.maximumIntervalDuration {
            intervals[intervals.count - 1].end = time
        } else {
            prune(now: time)
            intervals.append(StepInterval(start: time, end: time))
        }
        intervals[intervals.count - 1].totals.add(step)
    }

    /// Adds the floors climbed or descended to the latest step interval, or to a new interval if there is none.
    mutating func add(ascended: Int, descended: Int, at time: WallTime) {
        if intervals.isEmpty { intervals.append(StepInterval(start: time.seconds, end: time.seconds)) }
        intervals[intervals.count - 1].totals.floorsAscended += ascended
        intervals[intervals.count - 1].totals.floorsDescended += descended
    }

    mutating func add(_ activity: Activity) {
        if let last = activities.last, last.activity == activity.activity, last.start == activity.start {
            activities[activities.count - 1] = activity
            return
        }
        prune(now: activity.start)
        activities.append(activity)
    }

    /// Times are in seconds since 1970.
    func totals(from start: Double, to end: Double) -> StepTotals {
        var sum = StepTotals()
        for interval in intervals where interval.end >= start && interval.start <= end {
            let length = interval.end - interval.start
            let overlap = min(end, interval.end) - max(start, interval.start)
            sum.add(interval.totals, share: length > 0 ? min(max(overlap / length, 0), 1) : 1)
        }
        return sum
    }

    /// Returns the activities between two times (in seconds since 1970), including the activity in progress at `start`.
    func activities(from start: Double, to end: Double) -> [Activity] {
        var found: [Activity] = []
        if let before = activities.last(where: { $0.start < start }) { found.append(before) }
        found += activities.filter { $0.start >= start && $0.start <= end }
        return found.filter { !$0.activity.isEmpty }
    }

    /// Adds the entries of another log, but only for periods that this log does not cover.
    mutating func merge(_ other: StepLog, now: Double) {
        // The entries may be out of order if the wall clock was set back.
        let own = intervals.sorted { $0.start < $1.start }
        // `ends[i]` is the latest end among the intervals `own[0...i]`.
        var ends: [Double] = []
        for interval in own { ends.append(max(ends.last ?? -.infinity, interval.end)) }
        var index = 0
        var added: [StepInterval] = []
        for interval in other.intervals.sorted(by: { $0.end < $1.end }) {
            while index < own.count, own[index].start <= interval.end { index += 1 }
            if index == 0 || ends[index - 1] < interval.start { added.append(interval) }
        }
        intervals = (added + own).sorted { $0.start < $1.start }
        let first = activities.first?.start ?? .infinity
        activities = other.activities.filter { $0.start < first } + activities
        prune(now: now)
    }

    private mutating func prune(now: Double) {
        let oldest = now - Self.retention
        if let first = intervals.first, first.end < oldest || intervals.count >= Self.maximumIntervals {
            intervals.removeAll { $0.end < oldest }
            intervals.removeFirst(max(0, intervals.count - Self.maximumIntervals + 1))
        }
        if let first = activities.first, first.start < oldest || activities.count >= Self.maximumActivities {
            activities.removeAll { $0.start < oldest }
            activities.removeFirst(max(0, activities.count - Self.maximumActivities + 1))
        }
    }
}

struct CountedStep: Sendable, Hashable {
    var time: WallTime
    /// In metres.
    var length: Double
    /// The time since the previous step, in seconds, or 0 for the first step of a walk.
    var interval: Double
}

struct StepTotals: Sendable, Hashable {
    var steps = 0.0
    /// In metres.
    var distance = 0.0
    /// The time spent walking, in seconds.
    var activeTime = 0.0
    var floorsAscended = 0
    var floorsDescended = 0

    mutating func add(_ step: CountedStep) {
        steps += 1
        distance += step.length
        activeTime += step.interval
    }

    mutating func add(_ other: StepTotals, share: Double = 1) {
        steps += other.steps * share
        distance += other.distance * share
        activeTime += other.activeTime * share
        // Floors are not divided proportionally. If at least half of an interval is included, all of its floors are
        // counted. Otherwise, none are.
        guard share >= 0.5 else { return }
        floorsAscended += other.floorsAscended
        floorsDescended += other.floorsDescended
    }
}
