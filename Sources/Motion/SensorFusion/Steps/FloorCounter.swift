// SPDX-License-Identifier: Apache-2.0

/// Counts the floors that somebody walks up and down, from heights once a second and from steps.
///
/// A floor has about 3 m (10 feet), says Apple. Weather moves a barometer by up to 8 m an hour, so only height that
/// is gained while steps run, by 0.1 to 0.8 m/s over four seconds, is a climb. Its first floor counts from 2.7 m,
/// each further one 3 m later. It ends with a metre in the other direction, or 20 s without climbing. A lift has no
/// steps. A hill counts, as it does on Apple's devices.
///
/// Steps are told some seconds late, so heights wait for them.
package struct FloorCounter: Sendable {
    /// Metres of a floor, and what may lack of the first one.
    static let floor = 3.0
    private static let lack = 0.3
    private static let slowest = 0.1
    private static let fastest = 0.8
    /// Seconds after which a climb is over.
    private static let patience = 20.0
    private static let reversal = 1.0
    /// Heights that wait for steps: seconds, since there is one a second.
    private static let delay = 6
    /// Seconds over which a climb is as fast as it is.
    private static let span = 4
    /// A longer pause between heights begins anew.
    private static let maximumGap = 3.0

    private struct Entry: Sendable {
        var time: Double
        /// Metres since the height before.
        var gain: Double
        var hasSteps: Bool
    }

    private var entries: [Entry] = []
    private var lastHeight = 0.0
    private var lastTime = -Double.infinity
    /// Metres gained on foot, now and in the seconds before, the oldest first.
    private var walked: [Double] = []
    private var direction = 0.0
    private var base = 0.0
    private var farthest = 0.0
    private var counted = 0
    private var lastClimb = -Double.infinity

    /// Floors up.
    package private(set) var ascended = 0
    /// Floors down.
    package private(set) var descended = 0

    package init() {
        entries.reserveCapacity(Self.delay + 1)
        walked.reserveCapacity(Self.span + 2)
    }

    /// Takes note of a step at that time, by the clock of the heights.
    package mutating func note(step time: Double) {
        for index in entries.indices where abs(entries[index].time - time) <= 1.5 { entries[index].hasSteps = true }
    }

    /// Takes a height in metres. One that is no number is left out.
    package mutating func take(height: Double, at time: Double) {
        guard height.isFinite, time.isFinite, time != lastTime else { return }
        guard time > lastTime, time - lastTime <= Self.maximumGap else {
            restart()
            (lastHeight, lastTime) = (height, time)
            return
        }
        let gain = height - lastHeight
        // Faster is a lift or a car, whatever the feet do there.
        let isOnFoot = abs(gain) <= Self.fastest * 1.1 * (time - lastTime)
        entries.append(Entry(time: time, gain: isOnFoot ? gain : 0, hasSteps: false))
        (lastHeight, lastTime) = (height, time)
        if entries.count > Self.delay { settle(entries.removeFirst()) }
    }

    private mutating func restart() {
        entries.removeAll(keepingCapacity: true)
        walked.removeAll(keepingCapacity: true)
        endClimb()
    }

    private mutating func endClimb() {
        direction = 0
        counted = 0
        lastClimb = -.infinity
    }

    private mutating func settle(_ entry: Entry) {
        let height = (walked.last ?? 0) + (entry.hasSteps ? entry.gain : 0)
        walked.append(height)
        if walked.count > Self.span + 1 { walked.removeFirst() }
        guard let before = walked.first, walked.count > Self.span else { return }
        let speed = (height - before) / Double(Self.span)
        if entry.hasSteps, abs(speed) >= Self.slowest, abs(speed) <= Self.fastest {
            let sign = speed > 0 ? 1.0 : -1.0
            if direction == 0 || sign != direction && (farthest - (height - base) * direction) > Self.reversal {
                endClimb()
                direction = sign
                base = before
                farthest = 0
            }
            if sign == direction { lastClimb = entry.time }
        }
        guard direction != 0 else { return }
        let progress = (height - base) * direction
        farthest = max(farthest, progress)
        if entry.time - lastClimb > Self.patience || farthest - progress > Self.reversal { return endClimb() }
        let floors = Int(((progress + Self.lack) / Self.floor).rounded(.down))
        guard floors > counted else { return }
        if direction > 0 { ascended += floors - counted } else { descended += floors - counted }
        counted = floors
    }
}
