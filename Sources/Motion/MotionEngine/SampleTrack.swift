// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What the aligner knows of one sensor.
struct SampleTrack: Sendable {
    /// A step back by less than that is a slip of one stamp, not of the clock.
    private static let slip: Int64 = 100_000_000

    /// True while its samples are asked for.
    var isExpected = false
    /// True while it is known to give none.
    var isLost = false
    /// True when its clock is not that of the others: its samples count as measured when they come in.
    var isOffBeat = false
    /// How many samples in a row came far too late.
    var strays = 0
    /// Of the newest sample, as it counts.
    var newest: SampleStamp?
    var newestArrival: BootTime?
    /// The arrival of the first sample of any sensor since this one has been expected.
    var awaitedSince: BootTime?
    /// How often its clock was set back.
    var epoch: Int32 = 0
    /// Of the newest sample, as its clock had it.
    private(set) var newestTime: BootTime?

    /// The last steps between samples in nanoseconds, the newest over the oldest. In place and not on the heap: a track is
    /// looked at often, and holds no reference to count.
    private var steps = InlineArray<16, Int64>(repeating: .max)
    private var nextStep = 0
    private var shortest: Int64?

    /// Nanoseconds between samples at its pace; nil before it has a second one. The shortest of late, so that lost samples
    /// do not make it look slow.
    var interval: Int64? { shortest }

    /// Takes note of a sample's time; false when it is none that counts, being no later than the one before.
    mutating func note(_ time: BootTime) -> Bool {
        defer {
            if newestTime.map({ time > $0 }) ?? true { newestTime = time }
        }
        guard let newestTime else { return true }
        let step = time.nanoseconds.subtractingSaturated(newestTime.nanoseconds)
        if step > 0 {
            add(step)
            return true
        }
        guard step < -Self.slip else { return false }
        epoch &+= 1
        self.newestTime = nil
        forgetPace()
        return true
    }

    private mutating func add(_ step: Int64) {
        // The places that are not in use yet hold the greatest number.
        let former = steps[nextStep]
        steps[nextStep] = step
        nextStep = nextStep + 1 == steps.count ? 0 : nextStep + 1
        // Gone with the step that made way, unless there is another one.
        if former == shortest, step > former {
            var least = Int64.max
            for index in steps.indices { least = min(least, steps[index]) }
            shortest = least
        }
        shortest = shortest.map { min($0, step) } ?? step
    }

    private mutating func forgetPace() {
        steps = InlineArray(repeating: .max)
        nextStep = 0
        shortest = nil
    }

    /// Nanoseconds after which nobody waits for it any more.
    @inline(__always)
    func patience(latency: Int64) -> Int64 {
        let beat = (interval ?? 0).multipliedReportingOverflow(by: 3)
        let slow = beat.overflow ? Int64.max : beat.partialValue
        return max(500_000_000, min(slow, 30_000_000_000)).addingSaturated(latency)
    }

    /// True when it has not been heard of for longer than that.
    @inline(__always)
    func isSilent(at arrival: BootTime, latency: Int64) -> Bool {
        guard let reference = newestArrival ?? awaitedSince else { return false }
        return arrival.nanoseconds.subtractingSaturated(reference.nanoseconds) > patience(latency: latency)
    }

    /// True when it may still give a sample of that time or before.
    ///
    /// - Parameter arrival: when the sample of another sensor came in that waits for it.
    @inline(__always)
    func isDue(by stamp: SampleStamp, _ arrival: BootTime, latency: Int64) -> Bool {
        guard isExpected, !isLost, !isOffBeat else { return false }
        if let newest, newest >= stamp { return false }
        if isSilent(at: arrival, latency: latency) { return false }
        guard let newest, newest.epoch == stamp.epoch, let interval else { return true }
        // A tenth early still is in time.
        let due = newest.time.nanoseconds.addingSaturated(interval - interval / 10)
        return stamp.time.nanoseconds >= due
    }

    /// Its first sample is awaited from now on.
    mutating func awaitAnew() {
        isLost = false
        (awaitedSince, newestArrival) = (nil, nil)
    }

    /// Forgets all but whether it is expected and lost.
    mutating func restart() {
        let (isExpected, isLost) = (isExpected, isLost)
        self = SampleTrack()
        self.isExpected = isExpected
        self.isLost = isLost
    }
}
