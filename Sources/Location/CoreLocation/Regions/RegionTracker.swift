// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The thresholds for reporting a boundary crossing.
struct CrossingThresholds: Sendable, Equatable {
    /// The minimum duration of an ambiguous crossing, in seconds. If it is 0, a single fix is sufficient.
    var dwell = 20.0
    /// The minimum distance beyond the boundary, in metres. If it is 0, the accuracy of the fixes is also ignored.
    var cushion = 10.0
}

/// Determines the state of a circular region from successive fixes.
///
/// Apple reports a crossing when the device has been a minimum distance beyond the boundary for 20 seconds. Under this
/// rule alone, a car driving through a circle with a radius of 100 metres would not be reported. This type therefore
/// computes the mean distance beyond the boundary, starting with the first fix beyond it. Two rules apply to this mean:
///
/// - A moving device has crossed the boundary when the mean exceeds its uncertainty. The uncertainty combines two
///   parts: 4.5 standard deviations of the averaged noise, and twice the error that averaging does not reduce (see
///   `FixStatistics`). Such a crossing can be reported after two seconds.
/// - In all other cases, the crossing must last for `dwell`. The mean must be at least the accuracy of the fixes, or
///   three times the accuracy if the device is stationary. Otherwise, noise alone could appear to be a crossing of a
///   nearby boundary. If `cushion` is not 0, the mean must also reach a tenth of the radius or 50 m, whichever is less.
///
/// The measurement restarts when the mean is no longer beyond the boundary. With the parameters that `GeofenceTests`
/// uses, every crossing deeper than 4.5 times the accuracy of the fixes is detected.
struct RegionTracker: Sendable {
    /// The minimum duration of an unambiguous crossing, in seconds, and the minimum number of fixes since its start.
    static let minimumCrossing = (seconds: 2.0, fixes: 3)
    /// Two fixes are enough for an unambiguous crossing if it began at least this many seconds ago.
    static let twoFixCrossing = 5.0
    /// The maximum radius, in metres, to which a small region is enlarged. A region smaller than the error of a fix is
    /// enlarged to that error, because no fix could otherwise show that the device is inside.
    static let maximumEnlargedRadius = 50.0

    private(set) var state: CLRegionState
    private var crossing: CandidateCrossing?

    /// The fixes since the first fix beyond the boundary. While the state is unknown, all fixes are included.
    private struct CandidateCrossing {
        var start: Double
        var arrival: BootTime
        var count = 0.0
        var sum = 0.0
        /// True if two consecutive fixes were farther apart than the device could have moved.
        var isSudden = false
    }

    init(state: CLRegionState = .unknown) { self.state = state }

    /// A new state and the time of the first fix in that state.
    struct Change: Sendable, Equatable {
        var state: CLRegionState
        var timestamp: Double
    }

    /// Discards a crossing in progress. Must be called when the sequence of fixes is interrupted.
    mutating func discardCrossing() { crossing = nil }

    /// Processes a fix and returns the state change, if any.
    /// - Parameters:
    ///   - distance: The distance from the centre of the circle to the fix, in metres.
    ///   - track: The statistics of all fixes, including this one.
    mutating func accept(
        _ fix: TrackedFix, distance: Double, radius: Double, track: FixStatistics, rules: CrossingThresholds
    ) -> Change? {
        let accuracy = rules.cushion == 0 ? 0 : fix.accuracy
        let extent = max(radius, min(accuracy, Self.maximumEnlargedRadius))
        let margin = extent - distance
        // If the circle is smaller than the error, no fix can prove that the device is inside.
        let canBeInside = accuracy <= extent
        guard state != .unknown else {
            return determine(fix, margin: margin, accuracy: accuracy, canBeInside: canBeInside, rules)
        }
        // The depth is how far the device is past the boundary. It is negative if the device has not crossed it.
        let depth = state == .inside ? -margin : margin
        if crossing == nil, depth > 0 { crossing = CandidateCrossing(start: fix.timestamp, arrival: fix.arrival) }
        guard var crossing else { return nil }
        crossing.count += 1
        crossing.sum += depth
        crossing.isSudden = crossing.isSudden || track.isImplausible
        guard crossing.sum > 0 else {
            self.crossing = nil
            return nil
        }
        self.crossing = crossing
        guard depth > 0, state == .inside || canBeInside,
            isConfirmed(crossing, accuracy: accuracy, extent: extent, now: fix.arrival, track: track, rules)
        else { return nil }
        return change(to: state == .inside ? .outside : .inside, since: crossing.start)
    }

    private func isConfirmed(
        _ crossing: CandidateCrossing, accuracy: Double, extent: Double, now: BootTime, track: FixStatistics,
        _ rules: CrossingThresholds
    ) -> Bool {
        let mean = crossing.sum / crossing.count
        let duration = now.seconds(since: crossing.arrival)
        let cushion = min(rules.cushion, extent / 4)
        let minimum = Self.minimumCrossing
        let isLongEnough =
            duration >= min(minimum.seconds, rules.dwell)
            && (crossing.count >= Double(minimum.fixes) || crossing.count >= 2 && duration >= Self.twoFixCrossing
                || rules.dwell == 0)
        if track.isMoving, !crossing.isSudden, isLongEnough {
            // The measured noise may be larger than the receiver's reported accuracy.
            let white = rules.cushion == 0 ? 0 : track.whiteVariance
            let slow = max(0, accuracy * accuracy - white)
            let uncertainty = (4.5 * 4.5 * white / crossing.count + 2 * 2 * slow).squareRoot()
            if mean >= max(cushion, uncertainty) { return true }
        }
        guard duration >= rules.dwell, crossing.count >= 2 || rules.dwell == 0 else { return false }
        var depth = max(cushion, min(extent / 10, 50) * (cushion > 0 ? 1 : 0), accuracy * (track.isMoving ? 1 : 3))
        // For an entry, the required depth is at most half the radius, because even the centre is only one radius from
        // the boundary.
        if state == .outside { depth = min(depth, extent / 2) }
        return mean >= depth
    }

    /// Determines the initial state from a single fix that is clearly on one side of the boundary, or from the mean of
    /// several fixes.
    private mutating func determine(
        _ fix: TrackedFix, margin: Double, accuracy: Double, canBeInside: Bool, _ rules: CrossingThresholds
    ) -> Change? {
        var crossing = self.crossing ?? CandidateCrossing(start: fix.timestamp, arrival: fix.arrival)
        crossing.count += 1
        crossing.sum += margin
        self.crossing = crossing
        let mean = crossing.sum / crossing.count
        let isClear = abs(margin) >= accuracy
        guard isClear || fix.arrival.seconds(since: crossing.arrival) >= rules.dwell && abs(mean) >= accuracy / 2 else {
            return nil
        }
        let isInside = isClear ? margin >= 0 : mean > 0
        guard canBeInside || !isInside else { return nil }
        return change(to: isInside ? .inside : .outside, since: isClear ? fix.timestamp : crossing.start)
    }

    private mutating func change(to state: CLRegionState, since timestamp: Double) -> Change {
        self.state = state
        crossing = nil
        return Change(state: state, timestamp: timestamp)
    }
}
