// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Converts a driver's timestamps to the device's clock. The caller provides all clock readings. Each capture has its
/// own corrector, used by the thread that reads the buffer.
struct TimestampCorrector {
    enum TimestampClock: Equatable {
        case device
        /// Another readable clock on this machine.
        case local(String)
        /// A clock that cannot be read, so its offset is estimated from the timestamps. The sample with the shortest
        /// delay is assumed to have arrived without delay.
        case remote
        /// There are no usable timestamps, so samples are spread evenly over the time since the last arrival.
        case none
    }

    /// The minimum time in seconds between delay measurements, which are repeated because clocks may drift.
    private static let minimumWindow = 10.0
    private static let minimumWindowRefills = 50
    /// The delay, in nanoseconds, below which an arrival confirms that the clock offset is still correct.
    private static let confirmingDelay: Int64 = 10_000_000
    /// If a sample's time, converted from a local clock, is later than the sample's arrival by more than this value, in
    /// nanoseconds, the clock offset is measured again.
    private static let maximumLead: Int64 = 10_000_000
    /// If the offset of a local clock changes by more than this value, in nanoseconds, the change counts as a clock
    /// step.
    private static let minimumCountedStep: UInt64 = 1_000_000
    /// If the offset of a local clock changes by at most this value, in nanoseconds, the change is ignored as noise.
    /// Applying it would make the intervals between samples uneven.
    private static let offsetNoise: UInt64 = 20_000
    /// The maximum difference between the arrival of the first samples and their timestamps, in seconds. Twice the
    /// duration of the largest buffer is added to this value. If the difference is larger, the timestamps are not on
    /// the device's clock, although the driver claims that they are.
    private static let maximumInitialDelay = 5.0
    /// Each time the timestamps go backward, `regressionWeight` is added to a score. Each regular refill subtracts 1.
    /// When the score reaches `regressionLimit`, the timestamps are no longer used.
    private static let regressionWeight = 8
    private static let regressionLimit = 64
    /// A remote clock counts as stepped if its timestamps are later than their arrival by more than this value, in
    /// seconds. The offset of a local clock is measured again if the delay exceeds this value plus two intervals.
    private static let minimumStep = 1.0
    /// The range of plausible delays for the first samples of a capture, in nanoseconds. If the delay is within this
    /// range, the offset from the previous capture remains in use.
    private static let plausibleInitialDelays: Range<Int64> = 0..<2_000_000_000

    /// The offset of a remote machine's clock, as measured during a capture.
    struct ClockState: Equatable {
        /// The offset to add to a timestamp, in nanoseconds.
        var offset: Int64
        /// The last timestamp from the driver, in nanoseconds.
        var stamp: Int64
        /// The time when the offset was last confirmed.
        var time: BootTime
    }

    private(set) var base: TimestampClock
    /// The offset to add to a timestamp, in nanoseconds.
    private(set) var offset: Int64 = 0
    private(set) var clockSteps = 0
    /// The time between samples, in seconds, or 0 if unknown.
    var interval: Double
    private let decimation: Int
    private var previous: ClockState?
    private(set) var areTimestampsRejected = false
    private var regressionScore = 0
    private var lastTimestamp: Int64?
    /// The time of the last arrival that confirmed the offset.
    private var confirmationTime = BootTime.zero
    private var lastTime: BootTime?
    private var minimumDelay = Int64.max
    private var windowStart = BootTime.zero
    private var windowRefills = 0
    private var nextMeasurement = BootTime.zero

    /// `interval` is the time between delivered samples in seconds, or 0 if unknown. `decimation` is the number of
    /// sensor samples per interval. `previous` is the clock state from a previous capture.
    init(base: TimestampClock, interval: Double, decimation: Int = 1, previous: ClockState? = nil) {
        (self.base, self.interval, self.decimation) = (base, interval, max(1, decimation))
        guard base == .remote, let previous else { return }
        self.previous = previous
        offset = previous.offset
    }

    var clockState: ClockState? {
        guard base == .remote, !areTimestampsRejected, let lastTimestamp else { return nil }
        return ClockState(offset: offset, stamp: lastTimestamp, time: confirmationTime)
    }

    /// Returns the offset in nanoseconds to add to the time of another local clock, or nil if that clock cannot be
    /// read. Uses the most precise of three measurements.
    static func offset(clock: any DeviceClock, other: () -> Int64?) -> Int64? {
        var best: (width: Int64, offset: Int64)?
        for _ in 0..<3 {
            let before = clock.now.nanoseconds
            guard let reading = other() else { return nil }
            let width = clock.now.nanoseconds &- before
            if best.map({ width < $0.width }) ?? true { best = (width, before &+ width / 2 &- reading) }
        }
        return best?.offset
    }

    mutating func start(offset: Int64) {
        self.offset = offset
        lastTimestamp = nil
        minimumDelay = .max
        windowRefills = 0
        nextMeasurement = .zero
    }

    /// Corrects the times of a refill in place. On input, each time must be the driver's timestamp plus `offset`.
    /// Returns false if the refill must be dropped, because it arrived so soon after the previous one that the times
    /// could not all differ. Otherwise, the times are in ascending order and, unless the device's clock has been set
    /// back by more than `minimumStep`, later than all previous times.
    mutating func correct(
        _ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime, measure: (String) -> Int64?
    ) -> Bool {
        let count = times.count
        guard count > 0 else { return false }
        let stamp = times[count - 1].nanoseconds &- offset
        // The timestamp is 0 if the driver does not set it.
        if stamp <= 0 { base = .none }
        let change = correction(times[0].nanoseconds &- offset, stamp: stamp, arrival: arrival, measure: measure)
        if base == .none {
            distribute(times, to: arrival)
        } else {
            offset = offset &+ change
            if change != 0 { for index in times.indices { times[index].nanoseconds &+= change } }
            lastTimestamp = stamp
        }
        return makeAscending(times, arrival: arrival)
    }

    private mutating func correction(
        _ firstStamp: Int64, stamp: Int64, arrival: BootTime, measure: (String) -> Int64?
    ) -> Int64 {
        let delay = arrival.nanoseconds.subtractingSaturated(stamp.addingSaturated(offset))
        switch base {
        case .none: return 0
        case .device:
            let buffered = interval * Double(BufferPlan.maximumSamples / decimation)
            guard lastTimestamp == nil, abs(Double(delay)) > (Self.maximumInitialDelay + 2 * buffered) * 1e9
            else { return 0 }
            base = .remote
            return delay
        case .local(let name):
            let isOff = delay < -Self.maximumLead || Double(delay) > (Self.minimumStep + 2 * interval) * 1e9
            guard isOff || arrival >= nextMeasurement else { return 0 }
            nextMeasurement = arrival.advanced(bySeconds: 1)
            guard let measured = measure(name) else { return 0 }
            let change = measured &- offset
            if change.magnitude > Self.minimumCountedStep { clockSteps += 1 }
            return change.magnitude > Self.offsetNoise ? change : 0
        case .remote:
            guard let lastTimestamp else {
                beginWindow(arrival)
                // Keep the previous offset unless the remote machine has rebooted, which restarts its timestamps.
                if let previous = previous.take(), firstStamp > previous.stamp,
                    Self.plausibleInitialDelays.contains(delay)
                {
                    confirmationTime = previous.time
                    return 0
                }
                return delay
            }
            if stamp < lastTimestamp || Double(delay) < -Self.minimumStep * 1e9 {
                clockSteps += 1
                recordRegression()
                if base == .none { return 0 }
                beginWindow(arrival)
                return delay
            }
            windowRefills += 1
            if delay < 0 {
                minimumDelay = 0
                confirmationTime = arrival
                return delay
            }
            if delay < Self.confirmingDelay { confirmationTime = arrival }
            minimumDelay = min(minimumDelay, delay)
            guard windowRefills >= Self.minimumWindowRefills, arrival.seconds(since: windowStart) >= Self.minimumWindow
            else { return 0 }
            let change = minimumDelay
            beginWindow(arrival)
            return change
        }
    }

    private mutating func beginWindow(_ now: BootTime) {
        (windowStart, confirmationTime) = (now, now)
        (windowRefills, minimumDelay) = (0, .max)
    }

    /// Assigns evenly spaced times to the samples, ending at `end`. A pause after the previous refill remains as a gap
    /// before the first sample. `spacing` is the interval between the driver's timestamps in nanoseconds, or 0 if
    /// unknown.
    private func distribute(_ times: UnsafeMutableBufferPointer<BootTime>, to end: BootTime, spacing: Int64 = 0) {
        let count = Int64(times.count)
        var step = interval > 0 && interval < 1e6 ? Int64(interval * 1e9) : 10_000_000
        if let lastTime, end > lastTime {
            let availableInterval = (end.nanoseconds &- lastTime.nanoseconds) / count
            // After a pause, the interval is limited to 1.5 times the usual interval.
            let usual = max(step, min(spacing, availableInterval))
            step = interval > 0 ? min(availableInterval, usual + usual / 2) : availableInterval
        }
        let start = end.nanoseconds &- (count - 1) &* step
        for index in times.indices { times[index] = BootTime(nanoseconds: start &+ Int64(index) &* step) }
    }

    /// Distributes the samples evenly if their times are not in ascending order. Returns false if the refill must be
    /// dropped.
    private mutating func makeAscending(_ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime) -> Bool {
        let count = times.count
        let end = times[count - 1]
        // This loop has no branches, so that the compiler can vectorize it.
        var isNotAscending: UInt8 = 0
        for index in 1..<max(1, count) {
            isNotAscending |= times[index].nanoseconds <= times[index - 1].nanoseconds ? 1 : 0
        }
        if isNotAscending == 0, lastTime.map({ times[0] > $0 }) ?? true {
            lastTime = end
            regressionScore = max(0, regressionScore - 1)
            return true
        }
        // Each sample needs at least one nanosecond, so that all times can differ.
        let minimumDuration = Int64(count)
        if lastTime.map({ end.nanoseconds.subtractingSaturated($0.nanoseconds) >= minimumDuration }) ?? true {
            // The timestamps of a delayed refill may be in ascending order but begin before the previous sample. A
            // pause lengthens at most one of the first and last intervals, so the shorter one is used as the spacing.
            let spacing =
                isNotAscending == 0 && count > 2
                ? min(times[1].nanoseconds &- times[0].nanoseconds, end.nanoseconds &- times[count - 2].nanoseconds)
                : 0
            distribute(times, to: end, spacing: spacing)
            lastTime = end
            return true
        }
        recordRegression()
        if let last = lastTime, arrival.nanoseconds.subtractingSaturated(last.nanoseconds) < minimumDuration {
            guard last.seconds(since: arrival) > Self.minimumStep else { return false }
            lastTime = nil
        }
        distribute(times, to: arrival)
        lastTime = arrival
        return true
    }

    /// Stops using timestamps that repeatedly go backward.
    private mutating func recordRegression() {
        regressionScore += Self.regressionWeight
        guard regressionScore >= Self.regressionLimit, base != .none else { return }
        base = .none
        areTimestampsRejected = true
    }
}
