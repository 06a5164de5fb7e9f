// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

/// What was walked and done over the last seven days, in little memory.
///
/// Steps are kept in stretches of up to ten seconds. A question that begins or ends within one gets its share.
struct StepLog: Sendable {
    /// Steps in a row.
    struct Stretch: Sendable, Hashable {
        /// Seconds since 1970: of the first step and the last one.
        var start: Double
        var end: Double
        var totals = StepTotals()
    }

    /// An activity and when it began.
    struct Activity: Sendable, Hashable {
        /// Seconds since 1970.
        var start: Double
        /// Empty from when on nobody looked.
        var activity: CarriedActivity
        var confidence: ActivityConfidence
    }

    /// Seconds that are kept, as Apple says.
    static let age = 7 * 86_400.0
    static let stretch = 10.0
    /// More are not kept: the oldest go. That is 45 hours of walking.
    static let maximumStretches = 16_384
    static let maximumActivities = 4_096

    private(set) var stretches: [Stretch] = []
    private(set) var activities: [Activity] = []

    init(stretches: [Stretch] = [], activities: [Activity] = []) {
        self.stretches = stretches
        self.activities = activities
    }

    mutating func add(_ step: CountedStep) {
        let time = step.time.seconds
        if let last = stretches.last, time >= last.end, time - last.start < Self.stretch {
            stretches[stretches.count - 1].end = time
        } else {
            prune(now: time)
            stretches.append(Stretch(start: time, end: time))
        }
        stretches[stretches.count - 1].totals.add(step)
    }

    /// Adds floors to the latest stretch, in which they were walked, or makes one.
    mutating func add(ascended: Int, descended: Int, at time: WallTime) {
        if stretches.isEmpty { stretches.append(Stretch(start: time.seconds, end: time.seconds)) }
        stretches[stretches.count - 1].totals.floorsAscended += ascended
        stretches[stretches.count - 1].totals.floorsDescended += descended
    }

    mutating func add(_ activity: Activity) {
        // A surer word on what goes on.
        if let last = activities.last, last.activity == activity.activity, last.start == activity.start {
            activities[activities.count - 1] = activity
            return
        }
        prune(now: activity.start)
        activities.append(activity)
    }

    /// What is told of the time between two instants.
    func totals(from start: Double, to end: Double) -> StepTotals {
        var sum = StepTotals()
        for stretch in stretches where stretch.end >= start && stretch.start <= end {
            let length = stretch.end - stretch.start
            let inside = min(end, stretch.end) - max(start, stretch.start)
            sum.add(stretch.totals, share: length > 0 ? min(max(inside / length, 0), 1) : 1)
        }
        return sum
    }

    /// The activities that began between two instants, and before them the one that went on at the first.
    func activities(from start: Double, to end: Double) -> [Activity] {
        var found: [Activity] = []
        if let before = activities.last(where: { $0.start < start }) { found.append(before) }
        found += activities.filter { $0.start >= start && $0.start <= end }
        return found.filter { !$0.activity.isEmpty }
    }

    /// Takes what another log has of other times. Where both have something, this one's counts.
    mutating func merge(_ other: StepLog, now: Double) {
        // Those of either are in the order of time, but for clocks that were set back.
        let own = stretches.sorted { $0.start < $1.start }
        // The latest end of all up to each.
        var ends: [Double] = []
        for stretch in own { ends.append(max(ends.last ?? -.infinity, stretch.end)) }
        var index = 0
        var kept: [Stretch] = []
        for stretch in other.stretches.sorted(by: { $0.end < $1.end }) {
            while index < own.count, own[index].start <= stretch.end { index += 1 }
            if index == 0 || ends[index - 1] < stretch.start { kept.append(stretch) }
        }
        stretches = (kept + own).sorted { $0.start < $1.start }
        let first = activities.first?.start ?? .infinity
        activities = other.activities.filter { $0.start < first } + activities
        prune(now: now)
    }

    private mutating func prune(now: Double) {
        let oldest = now - Self.age
        if let first = stretches.first, first.end < oldest || stretches.count >= Self.maximumStretches {
            stretches.removeAll { $0.end < oldest }
            stretches.removeFirst(max(0, stretches.count - Self.maximumStretches + 1))
        }
        if let first = activities.first, first.start < oldest || activities.count >= Self.maximumActivities {
            activities.removeAll { $0.start < oldest }
            activities.removeFirst(max(0, activities.count - Self.maximumActivities + 1))
        }
    }
}

/// A step that counts, in civil time.
struct CountedStep: Sendable, Hashable {
    var time: WallTime
    /// Metres.
    var length: Double
    /// Seconds since the step before; 0 for the first of a walk.
    var interval: Double
}

/// What was walked.
struct StepTotals: Sendable, Hashable {
    var steps = 0.0
    /// Metres.
    var distance = 0.0
    /// Seconds of walking.
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
        // A floor is walked or not.
        guard share >= 0.5 else { return }
        floorsAscended += other.floorsAscended
        floorsDescended += other.floorsDescended
    }
}
