// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What the aligner knows of one sensor.
struct SampleTrack: Sendable {
    /// A step back by less than that is a slip of one stamp, not of the clock.
    private static let slip: Int64 = 100_000_000
    private static let memory = 16

    /// True while its samples are asked for.
    var isExpected = false
    /// True while it is known to give none.
    var isLost = false
    /// True when its clock is not that of the others: its samples count as measured when they come in.
    var isOffBeat = false
    /// How many samples in a row came far too late.
    var strays = 0
    var queue = SampleQueue()
    /// Of the newest sample, as it counts.
    var newest: SampleStamp?
    var newestArrival: BootTime?
    /// The arrival of the first sample of any sensor since this one has been expected.
    var awaitedSince: BootTime?
    /// How often its clock was set back.
    var epoch: Int32 = 0
    /// Of the newest sample, as its clock had it.
    private(set) var newestTime: BootTime?

    /// The last steps between samples in nanoseconds, the newest over the oldest.
    private var steps: [Int64] = []
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
        if steps.count < Self.memory {
            steps.append(step)
        } else {
            steps[nextStep] = step
            nextStep = (nextStep + 1) % Self.memory
        }
        shortest = steps.min()
    }

    private mutating func forgetPace() {
        steps.removeAll(keepingCapacity: true)
        nextStep = 0
        shortest = nil
    }

    /// Nanoseconds after which nobody waits for it any more.
    func patience(latency: Int64) -> Int64 {
        let beat = (interval ?? 0).multipliedReportingOverflow(by: 3)
        let slow = beat.overflow ? Int64.max : beat.partialValue
        return max(500_000_000, min(slow, 30_000_000_000)).addingSaturated(latency)
    }

    /// True when it has not been heard of for longer than that.
    func isSilent(at arrival: BootTime, latency: Int64) -> Bool {
        guard let reference = newestArrival ?? awaitedSince else { return false }
        return arrival.nanoseconds.subtractingSaturated(reference.nanoseconds) > patience(latency: latency)
    }

    /// Forgets all but whether it is expected and lost.
    mutating func restart() {
        let fresh = SampleTrack()
        var queue = queue
        queue.removeAll()
        let (isExpected, isLost) = (isExpected, isLost)
        self = fresh
        self.queue = queue
        self.isExpected = isExpected
        self.isLost = isLost
    }
}
