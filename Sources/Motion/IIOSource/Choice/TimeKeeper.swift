// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Brings a driver's time stamps to the device's clock.
///
/// Pure: what other clocks show is handed in.
struct TimeKeeper {
    /// What the stamps are of.
    enum Base: Equatable {
        /// The device's own clock.
        case same
        /// Another clock of this machine, which can be read.
        case local(String)
        /// A clock that only its stamps show: another machine's. The least delay seen counts as none.
        case remote
        /// There are no stamps; samples are spread over the time since the last arrival.
        case none
    }

    /// After this many seconds the least delay is found anew, so that clocks may drift apart.
    private static let window = 10.0
    /// The least number of refills in a window.
    private static let windowCount = 50
    /// A delay of up to so many nanoseconds says that the offset is right.
    private static let smallDelay: Int64 = 10_000_000
    /// A difference of this many seconds is no delay any more.
    private static let jump = 1.0
    /// What the first samples of a further capture may be late by, in nanoseconds, on a machine that is held up.
    private static let firstDelays: Range<Int64> = 0..<2_000_000_000

    /// What a capture has found out about another machine's clock.
    struct Found: Equatable {
        /// What is added to a stamp, in nanoseconds.
        var offset: Int64
        /// The last stamp.
        var stamp: Int64
        /// When the offset was last seen to be right.
        var time: BootTime
    }

    private(set) var base: Base
    /// What is added to a stamp, in nanoseconds.
    private(set) var offset: Int64 = 0
    /// How often the clock of the stamps was set.
    private(set) var jumps = 0
    /// Seconds from one sample to the next; 0 when not known.
    var interval: Double
    /// How many samples of the sensor that is.
    private let thinning: Int
    /// What a capture before this one has found, until something has come.
    private var before: Found?

    /// True when stamps are left out because they went back again and again.
    private(set) var isDistrusted = false

    private var distrust = 0
    private var lastStamp: Int64?
    /// When the offset was last seen to be right: an arrival without delay, or nearly so.
    private var confirmed = BootTime.zero
    private var lastTime: BootTime?
    private var leastDelay = Int64.max
    private var windowStart = BootTime.zero
    private var windowRefills = 0
    private var nextMeasure = BootTime.zero

    /// - Parameter before: What a capture before this one has found out about the same clock; nil without.
    init(base: Base, interval: Double, thinning: Int = 1, before: Found? = nil) {
        self.base = base
        self.interval = interval
        self.thinning = max(1, thinning)
        guard base == .remote, let before else { return }
        self.before = before
        offset = before.offset
    }

    /// What has been found out, for the next capture; nil when nothing has.
    var found: Found? {
        guard base == .remote, !isDistrusted, let lastStamp else { return nil }
        return Found(offset: offset, stamp: lastStamp, time: confirmed)
    }

    /// The offset of a clock of this machine from the device's, from readings of both; the closest pair of three.
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

    /// A capture begins at this offset.
    mutating func start(offset: Int64) {
        self.offset = offset
        lastStamp = nil
        leastDelay = .max
        windowRefills = 0
        nextMeasure = .zero
    }

    /// Corrects the times of a refill, which were made of stamps and `offset`, in place. Returns how many of them, from
    /// the start, are to be kept: rising, and later than those before; 0 when none is of use.
    mutating func settle(
        _ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime, measure: (String) -> Int64?
    ) -> Int {
        let count = times.count
        guard count > 0 else { return 0 }
        let stamp = times[count - 1].nanoseconds &- offset
        // A driver that leaves the stamp empty has none.
        if stamp <= 0 { base = .none }
        let change = correction(times[0].nanoseconds &- offset, stamp: stamp, arrival: arrival, measure: measure)
        if base == .none {
            spread(times, to: arrival)
        } else {
            offset = offset &+ change
            if change != 0 { for index in times.indices { times[index].nanoseconds &+= change } }
            lastStamp = stamp
        }
        return accept(times, arrival: arrival)
    }

    /// What the offset has to be changed by, by the first and the last stamp of a refill.
    private mutating func correction(
        _ firstStamp: Int64, stamp: Int64, arrival: BootTime, measure: (String) -> Int64?
    ) -> Int64 {
        let delay = arrival.nanoseconds.subtractingSaturated(stamp.addingSaturated(offset))
        switch base {
        case .none: return 0
        case .same:
            // Only a driver that stamps by another clock than it says is that far off at its first reading.
            guard lastStamp == nil,
                abs(Double(delay)) > 5e9 + 2e9 * interval * Double(BufferPlan.mostSamples / thinning)
            else {
                return 0
            }
            base = .remote
            return delay
        case .local(let name):
            let isOff = delay < -10_000_000 || Double(delay) > (Self.jump + 2 * interval) * 1e9
            guard isOff || arrival >= nextMeasure else { return 0 }
            nextMeasure = arrival.advanced(bySeconds: 1)
            guard let measured = measure(name) else { return 0 }
            let change = measured &- offset
            if abs(Double(change)) > 1e6 { jumps += 1 }
            // Noise of the measurement is left out, so that the beat of the samples stays as it was.
            return change.magnitude > 20_000 ? change : 0
        case .remote:
            guard let lastStamp else {
                beginWindow(arrival)
                // A clock that has started anew within two seconds is behind.
                if let before = before.take(), firstStamp > before.stamp, Self.firstDelays.contains(delay) {
                    confirmed = before.time
                    return 0
                }
                confirmed = arrival
                return delay
            }
            if stamp < lastStamp || Double(delay) < -Self.jump * 1e9 {
                jumps += 1
                loseTrust()
                if base == .none { return 0 }
                beginWindow(arrival)
                confirmed = arrival
                return delay
            }
            windowRefills += 1
            if delay < 0 {
                leastDelay = 0
                confirmed = arrival
                return delay
            }
            if delay < Self.smallDelay { confirmed = arrival }
            leastDelay = min(leastDelay, delay)
            guard windowRefills >= Self.windowCount, arrival.seconds(since: windowStart) >= Self.window else {
                return 0
            }
            let change = leastDelay
            beginWindow(arrival)
            confirmed = arrival
            return change
        }
    }

    private mutating func beginWindow(_ now: BootTime) {
        windowStart = now
        windowRefills = 0
        leastDelay = .max
    }

    /// Spreads the samples evenly from the last time to that one, between which there may have been a pause.
    /// - Parameter spacing: How far apart they are by their own stamps, in nanoseconds; 0 when these do not say.
    private func spread(_ times: UnsafeMutableBufferPointer<BootTime>, to end: BootTime, spacing: Int64 = 0) {
        let count = Int64(times.count)
        var step = interval > 0 && interval < 1e6 ? Int64(interval * 1e9) : 10_000_000
        if let lastTime, end > lastTime {
            let room = (end.nanoseconds &- lastTime.nanoseconds) / count
            // After a pause the samples still lie as close together as the sensor makes them.
            let usual = max(step, min(spacing, room))
            step = interval > 0 ? min(room, usual + usual / 2) : room
        }
        let start = end.nanoseconds &- (count - 1) &* step
        for index in times.indices { times[index] = BootTime(nanoseconds: start &+ Int64(index) &* step) }
    }

    /// Makes sure that the times rise: those of a batch that a driver stamped with one time, or that overlap with what
    /// came before, are spread evenly.
    private mutating func accept(_ times: UnsafeMutableBufferPointer<BootTime>, arrival: BootTime) -> Int {
        let count = times.count
        let end = times[count - 1]
        // Without a branch, so that the loop takes several at once.
        var falls: UInt8 = 0
        for index in 1..<max(1, count) {
            falls |= times[index].nanoseconds <= times[index - 1].nanoseconds ? 1 : 0
        }
        if falls == 0, lastTime.map({ times[0] > $0 }) ?? true {
            lastTime = end
            distrust = max(0, distrust - 1)
            return count
        }
        let room = Int64(count)
        if lastTime.map({ end.nanoseconds.subtractingSaturated($0.nanoseconds) >= room }) ?? true {
            // Stamps that rise and begin too early: the refill before was late. A pause is not at both their ends.
            let spacing =
                falls == 0 && count > 2
                ? min(
                    times[1].nanoseconds &- times[0].nanoseconds,
                    end.nanoseconds &- times[count - 2].nanoseconds) : 0
            spread(times, to: end, spacing: spacing)
            lastTime = end
            return count
        }
        // The stamps say nothing: what came in since then lies between then and now.
        loseTrust()
        if let last = lastTime, arrival.nanoseconds.subtractingSaturated(last.nanoseconds) < room {
            guard last.seconds(since: arrival) > Self.jump else { return 0 }
            lastTime = nil
        }
        spread(times, to: arrival)
        lastTime = arrival
        return count
    }

    /// Stamps that go back again and again are none.
    private mutating func loseTrust() {
        distrust += 8
        guard distrust >= 64, base != .none else { return }
        base = .none
        isDistrusted = true
    }
}
