// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Makes the time stamps of a sensor's batches strictly rising, and fit the boot clock.
///
/// Drivers with a FIFO stamp a whole batch alike or interpolate badly, the clock of the stamps may be set, and some
/// devices stamp nothing. A value with no clock of its own: it is told when each batch came in. It allocates nothing.
public struct IIOStampRepair: Sendable {
    /// Nanoseconds that are added to raw stamps since the last jump.
    public private(set) var correction: Int64 = 0

    /// The interval between samples in nanoseconds, measured or as it was given; nil until known.
    public var interval: Double? { spacing.nanoseconds }

    var spacing: IIOInterval
    /// The stamp that was handed out last.
    var last: BootTime?
    private var lastRaw: Int64?
    private var lastArrival: BootTime?
    /// The usual time from the newest stamp of a batch to its arrival.
    private var delay: Int64 = 0
    private var late = LateRun()

    /// A stamp that far from where it can be is one of a clock that was set.
    private static let tolerance: Int64 = 100_000_000
    /// A first stamp that old is one of another clock.
    private static let oldest: Int64 = 10_000_000_000

    /// A repair for a sensor of that rate in hertz; nil when it is not known.
    public init(rate: Double?) {
        spacing = IIOInterval(rate: rate)
    }

    /// Starts anew with another rate. Stamps go on rising.
    public mutating func reset(rate: Double?) {
        let last = last
        self = IIOStampRepair(rate: rate)
        self.last = last
    }

    /// Repairs the stamps of a batch in place. They are the driver's, brought near the boot clock by a constant offset
    /// that stays the same; `arrival` is when the batch had come in.
    @discardableResult
    public mutating func repair(_ times: inout [BootTime], arrival: BootTime) -> IIOStampReport {
        times.withUnsafeMutableBufferPointer { repair($0, arrival: arrival) }
    }

    /// Repairs the stamps of a batch in place, as the other form does.
    @discardableResult
    public mutating func repair(
        _ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime
    ) -> IIOStampReport {
        var report = IIOStampReport()
        guard let first = times.first?.nanoseconds, let newest = times.last?.nanoseconds else { return report }
        report.jump = jump(first: first, newest: newest, arrival: arrival)
        lastRaw = newest
        lastArrival = arrival
        let before = last
        if report.jump != nil {
            // Some stamps may be of the time before the jump, and nothing says which.
            let end = min(newest.addingSaturated(correction), arrival.nanoseconds)
            spread(times, 0..<times.count, end: end)
            report.rebuilt = times.count
        } else {
            report.rebuilt = straighten(times, notAfter: arrival)
            if let before, let last {
                spacing.note(Double(last.nanoseconds.subtractingSaturated(before.nanoseconds)) / Double(times.count))
            }
        }
        return report
    }

    /// Makes the stamps of a batch that came without any: the last is the arrival, the others lie before it, one
    /// interval apart.
    public mutating func stamp(_ times: inout [BootTime], arrival: BootTime) {
        times.withUnsafeMutableBufferPointer { stamp($0, arrival: arrival) }
    }

    /// Makes the stamps of a batch that came without any, as the other form does.
    public mutating func stamp(_ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime) {
        guard !times.isEmpty else { return }
        if let lastArrival {
            let elapsed = arrival.nanoseconds.subtractingSaturated(lastArrival.nanoseconds)
            spacing.note(Double(elapsed) / Double(times.count))
        }
        lastArrival = arrival
        spread(times, 0..<times.count, end: arrival.nanoseconds)
    }

    /// Finds out whether the clock of the stamps was set; moves the correction then.
    private mutating func jump(first: Int64, newest: Int64, arrival: BootTime) -> Int64? {
        let behind = arrival.nanoseconds.subtractingSaturated(newest.addingSaturated(correction))
        let isFalling =
            newest < first.subtractingSaturated(Self.tolerance)
            || (lastRaw.map { first < $0.subtractingSaturated(Self.tolerance) } ?? false)
        let isFirst = lastRaw == nil
        // Where stamps fall and the newest still fits its arrival, a driver interpolates badly: that is no jump.
        if behind < -Self.tolerance || (isFalling && behind > delay.addingSaturated(Self.tolerance))
            || (isFirst && behind > Self.oldest)
            || late.isLasting(behind: behind, usual: delay, arrival: arrival.nanoseconds)
        {
            late = LateRun()
            let ahead = delay.subtractingSaturated(behind)
            // Not from the correction so far: with stamps at the ends of the range that has been held at an end itself.
            correction = arrival.nanoseconds.subtractingSaturated(delay).subtractingSaturated(newest)
            return ahead
        }
        if behind < 0 {
            // No sample is taken after it has come in: the clocks drift apart.
            correction = correction.addingSaturated(behind)
            delay = 0
        } else if isFirst || behind < delay {
            delay = behind
        } else if behind < delay.addingSaturated(Self.tolerance) {
            delay += (behind - delay) / 64
        }
        return nil
    }
}
