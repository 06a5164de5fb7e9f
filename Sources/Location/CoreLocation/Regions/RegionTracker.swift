// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// How sure it has to be that a border was crossed before that is told.
struct RegionRules: Sendable, Equatable {
    /// Seconds that a doubtful crossing has to last; 0 tells of every fix on the other side.
    var dwell = 20.0
    /// Metres that the device has to be beyond the border at least; 0 leaves the error of the fixes out of account, too.
    var cushion = 10.0
}

/// On which side of a circle's border the device is: a value that is fed with fixes and says when that changes.
///
/// Apple tells of a crossing when the device has been beyond the border by a minimum distance for 20 seconds. A car that
/// drives through a circle of 100 metres is never told of then. So there are two ways here. Both look at the mean of the
/// margins to the border since the first fix beyond it.
///
/// - A device that moves has crossed when that mean is beyond doubt: 4.5 standard deviations of the part of the error that
///   averaging makes smaller, and twice the accuracy for the rest (see `PositionTrack`). Two seconds are enough for that.
/// - Otherwise the crossing has to last for `dwell`, and the mean has to be the accuracy of the fixes; three times that
///   for a device that rests, or noise alone would carry it over a border near by.
///
/// Fixes that come nearer do not begin anew what was seen before; those that carry the mean back over the border do.
/// With the figures of `GeofenceTests` this loses no crossing that is deeper than 4.5 times the accuracy of the fixes.
struct RegionTracker: Sendable {
    /// The least time, in seconds, and the least number of fixes for a crossing beyond doubt.
    static let shortest = (seconds: 2.0, fixes: 3)
    /// A region is taken for as large as the error of the fixes, up to this many metres: else nobody would ever be in it.
    static let blurLimit = 50.0

    private(set) var state: CLRegionState
    private var run: Run?

    /// Fixes on the other side in a row; while the state is unknown, all of them.
    private struct Run {
        var start: Double
        var arrival: BootTime
        var count = 0.0
        var sum = 0.0
        /// True when the border was not crossed by moving.
        var isSudden = false
    }

    init(state: CLRegionState = .unknown) { self.state = state }

    /// A change of the state, and since when it holds: the time of the first fix there.
    struct Change: Sendable, Equatable {
        var state: CLRegionState
        var timestamp: Double
    }

    /// Forgets a crossing that is under way: what comes next does not follow on what came before.
    mutating func interrupt() { run = nil }

    /// Takes a fix. Says so when the state is another one now.
    /// - Parameters:
    ///   - distance: Metres from the middle of the circle to the fix.
    ///   - track: What the fixes so far say, with this one.
    mutating func accept(
        _ fix: TrackedFix, distance: Double, radius: Double, track: PositionTrack, rules: RegionRules
    ) -> Change? {
        let accuracy = rules.cushion == 0 ? 0 : fix.accuracy
        let extent = max(radius, min(accuracy, Self.blurLimit))
        let margin = extent - distance
        // A circle that is smaller than the error cannot be seen to hold the device.
        let canBeInside = accuracy <= extent
        guard state != .unknown else {
            return determine(fix, margin: margin, accuracy: accuracy, canBeInside: canBeInside, rules)
        }
        // Positive on the other side.
        let depth = state == .inside ? -margin : margin
        if run == nil, depth > 0 { run = Run(start: fix.timestamp, arrival: fix.arrival) }
        guard var run else { return nil }
        run.count += 1
        run.sum += depth
        run.isSudden = run.isSudden || track.isSudden
        guard run.sum > 0 else {
            self.run = nil
            return nil
        }
        self.run = run
        guard depth > 0, state == .inside || canBeInside,
            isCertain(run, accuracy: accuracy, extent: extent, now: fix.arrival, track: track, rules)
        else { return nil }
        return change(to: state == .inside ? .outside : .inside, since: run.start)
    }

    private func isCertain(
        _ run: Run, accuracy: Double, extent: Double, now: BootTime, track: PositionTrack, _ rules: RegionRules
    ) -> Bool {
        let mean = run.sum / run.count
        let held = now.seconds(since: run.arrival)
        let cushion = min(rules.cushion, extent / 4)
        let shortest = Self.shortest
        let isLongEnough =
            held >= min(shortest.seconds, rules.dwell)
            && (run.count >= Double(shortest.fixes) || run.count >= 2 && held >= 5 || rules.dwell == 0)
        if track.isMoving, !run.isSudden, isLongEnough {
            // What is seen to jump may be more than the receiver owns up to.
            let white = rules.cushion == 0 ? 0 : track.whiteVariance
            let slow = max(0, accuracy * accuracy - white)
            let doubt = (20.25 * white / run.count + 4 * slow).squareRoot()
            if mean >= max(cushion, doubt) { return true }
        }
        guard held >= rules.dwell, run.count >= 2 || rules.dwell == 0 else { return false }
        var depth = max(cushion, min(extent / 10, 50) * (cushion > 0 ? 1 : 0), accuracy * (track.isMoving ? 1 : 3))
        // Nobody is deeper inside than in the middle.
        if state == .outside { depth = min(depth, extent / 2) }
        return mean >= depth
    }

    /// From nothing: the first fix that is clearly on one side, or the mean of many that are rather there.
    private mutating func determine(
        _ fix: TrackedFix, margin: Double, accuracy: Double, canBeInside: Bool, _ rules: RegionRules
    ) -> Change? {
        var run = self.run ?? Run(start: fix.timestamp, arrival: fix.arrival)
        run.count += 1
        run.sum += margin
        self.run = run
        let mean = run.sum / run.count
        let isClear = abs(margin) >= accuracy
        guard isClear || fix.arrival.seconds(since: run.arrival) >= rules.dwell && abs(mean) >= accuracy / 2 else {
            return nil
        }
        let isInside = isClear ? margin >= 0 : mean > 0
        guard canBeInside || !isInside else { return nil }
        return change(to: isInside ? .inside : .outside, since: isClear ? fix.timestamp : run.start)
    }

    private mutating func change(to state: CLRegionState, since timestamp: Double) -> Change {
        self.state = state
        run = nil
        return Change(state: state, timestamp: timestamp)
    }
}
