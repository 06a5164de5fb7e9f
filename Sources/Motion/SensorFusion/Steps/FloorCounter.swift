// SPDX-License-Identifier: Apache-2.0

/// Counts the floors that a person climbs and descends on foot. The input consists of the person's steps and one height
/// per second.
///
/// According to Apple, a floor is about 3 m (10 feet). The first floor of a climb counts after 2.7 m, and each further
/// floor after another 3 m. A climb ends after one metre in the opposite direction, or after 20 s without climbing.
/// Weather changes the barometric height by up to 8 m per hour, so a height change counts only while the person takes
/// steps, and only if the vertical speed over four seconds is 0.1 to 0.8 m/s. Lifts do not count, because a person
/// takes no steps in a lift. Hills count, as on Apple's devices. Because steps are reported a few seconds late, a
/// height is processed only when all steps up to its time are known.
package struct FloorCounter: Sendable {
    /// The height of a floor, in metres. For the first floor of a climb, it is reduced by `firstFloorTolerance`.
    static let floorHeight = 3.0
    private static let firstFloorTolerance = 0.3
    /// The range of the vertical speed on stairs, in m/s.
    private static let minimumClimbSpeed = 0.1
    private static let maximumClimbSpeed = 0.8
    /// The time without climbing after which a climb ends, in seconds.
    private static let climbTimeout = 20.0
    /// The height change in the opposite direction after which a climb ends, in metres.
    private static let reversal = 1.0
    /// The number of later heights that must arrive before a height is processed. By then, all steps up to that
    /// height's time are known. At one height per second, this is also the delay in seconds.
    private static let delay = 6
    /// The number of height changes over which the speed is computed. At one height per second, this is also the time
    /// in seconds.
    private static let speedInterval = 4
    /// The maximum interval between two heights in a climb, in seconds.
    private static let maximumGap = 3.0

    private struct Entry: Sendable {
        var time: Double
        var gain: Double
        var hasSteps: Bool
    }

    private var entries: [Entry] = []
    private var lastHeight = 0.0
    private var lastTime = -Double.infinity
    /// The latest values of the net height gained on foot, in metres, oldest first.
    private var heights: [Double] = []
    /// The direction of the current climb: 1 up, -1 down, or 0 if there is none. The next four properties describe it.
    private var direction = 0.0
    private var base = 0.0
    /// The greatest distance climbed from `base`, in metres, and the number of floors counted in this climb.
    private var farthest = 0.0
    private var counted = 0
    private var lastClimb = -Double.infinity

    package private(set) var ascended = 0
    package private(set) var descended = 0

    package init() {
        entries.reserveCapacity(Self.delay + 1)
        heights.reserveCapacity(Self.speedInterval + 2)
    }

    /// Records a step. Its time must be on the same clock as the heights' times.
    package mutating func record(step time: Double) {
        for index in entries.indices where abs(entries[index].time - time) <= 1.5 { entries[index].hasSteps = true }
    }

    /// Processes a height in metres. Infinite and NaN heights are ignored.
    package mutating func update(height: Double, at time: Double) {
        guard height.isFinite, time.isFinite, time != lastTime else { return }
        guard time > lastTime, time - lastTime <= Self.maximumGap else {
            restart()
            (lastHeight, lastTime) = (height, time)
            return
        }
        let gain = height - lastHeight
        // A faster change must come from a lift or a car, even if steps are detected.
        let isOnFoot = abs(gain) <= Self.maximumClimbSpeed * 1.1 * (time - lastTime)
        entries.append(Entry(time: time, gain: isOnFoot ? gain : 0, hasSteps: false))
        (lastHeight, lastTime) = (height, time)
        if entries.count > Self.delay { process(entries.removeFirst()) }
    }

    private mutating func restart() {
        entries.removeAll(keepingCapacity: true)
        heights.removeAll(keepingCapacity: true)
        endClimb()
    }

    private mutating func endClimb() { (direction, counted, lastClimb) = (0, 0, -.infinity) }

    private mutating func process(_ entry: Entry) {
        let height = (heights.last ?? 0) + (entry.hasSteps ? entry.gain : 0)
        heights.append(height)
        if heights.count > Self.speedInterval + 1 { heights.removeFirst() }
        guard let before = heights.first, heights.count > Self.speedInterval else { return }
        let speed = (height - before) / Double(Self.speedInterval)
        if entry.hasSteps, abs(speed) >= Self.minimumClimbSpeed, abs(speed) <= Self.maximumClimbSpeed {
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
        if entry.time - lastClimb > Self.climbTimeout || farthest - progress > Self.reversal { return endClimb() }
        let floors = Int(((progress + Self.firstFloorTolerance) / Self.floorHeight).rounded(.down))
        guard floors > counted else { return }
        if direction > 0 { ascended += floors - counted } else { descended += floors - counted }
        counted = floors
    }
}
