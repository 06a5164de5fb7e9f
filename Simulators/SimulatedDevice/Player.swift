// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import Trace

/// Lets a trace happen, step by step.
///
/// It belongs to whoever has claimed it, one at a time, which is why it needs no lock while it works.
final class Player: @unchecked Sendable {
    enum Step {
        /// A timer ran, or a quiet epoch ended.
        case happened
        /// The next event of the trace was handed on.
        case handedOn
        /// Nothing is left to happen by the limit.
        case finished
    }

    private let isClaimed = Atomic<Bool>(false)
    private let clock: VirtualClock
    private let hub: PositionHub
    private let motion: MotionFeed
    private let status: StatusHub
    private let beacons: BeaconHub
    private var accessories: RecordedAccessories
    // Only touched by who has claimed the player, which is checked there and not at each access.
    @exclusivity(unchecked) private var feed: TraceFeed
    private let differences: AccessoryDifferences
    /// For each motion sensor whether somebody listens to it.
    @exclusivity(unchecked) private var wanted: [Bool] = []
    /// For each motion sensor the readings that were handed on last, whose memory is used again.
    @exclusivity(unchecked) private var batches: [MotionBatch] = []

    /// Changes events before they are handed on; nil where they stay what they are. Touched by who has claimed the player.
    @exclusivity(unchecked) var filter: PlaybackFilter?

    private let end: PlaybackEnd
    /// Civil time at the trace's start.
    private let origin: WallTime
    /// When the hub has something to do next: only positions and what follows from them change that.
    private var epoch = BootTime.never
    /// True once the end of the trace has been noticed.
    private var hasEnded = false

    init(
        feed: TraceFeed, clock: VirtualClock, origin: WallTime, hub: PositionHub, motion: MotionFeed, status: StatusHub,
        beacons: BeaconHub, accessories: SimulatedAccessorySource, end: PlaybackEnd
    ) {
        self.end = end
        self.origin = origin
        self.feed = feed
        self.clock = clock
        self.hub = hub
        self.motion = motion
        self.status = status
        self.beacons = beacons
        self.accessories = RecordedAccessories(source: accessories, clock: clock)
        differences = self.accessories.differences
        batches = motion.sensors.map { MotionBatch(sensor: $0.id, kind: $0.kind) }
        // Nobody listens yet.
        restore(self.feed.begin())
    }

    /// Claims the player; false when somebody plays already, as in a callback.
    func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiring) }

    func release() { isClaimed.store(false, ordering: .releasing) }

    /// Goes to another place of the trace; the device is in the state of there when it returns.
    func seek(to seconds: Double) {
        let place = TraceFeed.place(seconds)
        hasEnded = false
        let state = feed.seek(to: place, now: clock.now)
        clock.setWallTime(WallTime(nanoseconds: origin.nanoseconds.addingSaturated(feed.lastPlace)))
        restore(state)
    }

    /// Brings the device into that state.
    ///
    /// - Parameter flushes: True when the trace begins again, so that what the hub holds back is handed over first.
    private func restore(_ state: TraceState, flushes: Bool = false) {
        hub.together {
            if flushes { hub.flush() }
            hub.restart(fixes: state.fixes)
            if hub.receivers != state.receivers { hub.post(receivers: state.receivers) }
            hub.setStatus(SourceStatus(state.positionLoss))
        }
        for index in motion.sensors.indices {
            guard let id = motion.id(index) else { continue }
            motion.hub.setStatus(SourceStatus(state.sensorLosses[index]), of: id)
        }
        status.post(state.battery)
        beacons.setStatus(SourceStatus(state.beaconLoss))
        accessories.restore(state.accessories)
        epoch = hub.nextDeadline
    }

    /// True when time goes no further, because the trace is over.
    var isStopped: Bool {
        guard case .stop = end else { return false }
        return feed.peek() == nil
    }

    /// Does what was asked for at the end of the trace; true when that was something.
    private func noteEnd() -> Bool {
        guard !hasEnded else { return false }
        hasEnded = true
        switch end {
        case .hold: return false
        case .stop:
            // Time will not come to their ends.
            hub.flush()
        case .fail(let error):
            hub.setStatus(.unavailable(error))
            for sensor in motion.sensors { motion.hub.setStatus(.unavailable(error), of: sensor.id) }
            beacons.setStatus(.unavailable(error))
        }
        epoch = hub.nextDeadline
        return true
    }

    /// When the next event of the trace is due; nil at its end.
    func nextEvent() -> BootTime? { feed.peek() }

    var warnings: [TraceWarning] { feed.warnings }

    /// What sessions with accessories lack up to now; anybody may look.
    var accessoryDifferences: [AccessoryDifference] { differences.all }

    var outstandingDifferences: [AccessoryDifference] { accessories.outstanding() }

    func accessory(named name: String) -> AccessoryDescription.ID? { accessories.id(of: name) }

    /// True when a timer is due where the clock stands.
    var isTimerDue: Bool { clock.nextDeadline.map { $0 <= clock.now } ?? false }

    /// Lets happen what is next by the limit: the end of a quiet epoch, a timer, or an event of the trace.
    func step(upTo limit: BootTime) -> Step {
        let event = feed.peek()
        if event == nil, noteEnd() { return .happened }
        let limit = event == nil && limit != .never && isStopped ? min(limit, clock.now) : limit
        // At the end of the trace timers only run as far as somebody asked the clock to go, and those that are due.
        if event == nil, limit == .never {
            if isTimerDue {
                clock.runNextTimer(upTo: clock.now)
                return .happened
            }
            hub.flush()
            epoch = hub.nextDeadline
            motion.hub.postQuiet()
            return .finished
        }
        let epoch = epoch
        let next = min(event ?? .never, epoch, limit)
        guard next != .never else { return .finished }
        guard clock.moveUnlessTimerIsDue(by: next) else {
            clock.runNextTimer(upTo: next)
            return .happened
        }
        if epoch <= next {
            hub.handOverDue(now: epoch)
            self.epoch = hub.nextDeadline
        } else if let event, event <= next {
            // The kind first: it is quicker to look at.
            if feed.kind == .battery, case .round(let state) = feed.content {
                restore(state, flushes: true)
                feed.consume()
                // Who wants all that is left gets one round, or it would never end.
                return limit == .never && feed.isEndless ? .finished : .happened
            }
            if let filter, feed.kind != .sample || filter.takesSamples {
                handOn(through: filter)
                self.epoch = hub.nextDeadline
            } else if feed.kind == .sample {
                handOnSamples()
            } else {
                handOn()
                self.epoch = hub.nextDeadline
            }
            return .handedOn
        } else {
            return .finished
        }
        return .happened
    }

    /// Hands on what the filter makes of the event that comes next.
    private func handOn(through filter: PlaybackFilter) {
        guard feed.kind != .sample else {
            var batch = MotionBatch(sensor: "", kind: .pressure)
            guard let id = feed.sensor.flatMap({ motion.id($0) }), let kind = feed.record?.sample?.kind else {
                return handOnSamples()
            }
            feed.takeSamples(into: &batch)
            feed.consume()
            let (origin, place) = (feed.bootTime(0).nanoseconds, feed.lastPlace)
            for (value, time) in zip(batch.values, batch.times) {
                let stamp = time.nanoseconds.subtractingSaturated(origin)
                let event = TraceEvent(time: place, .sample(value, kind: kind, sensor: id, stamp: stamp))
                for event in filter.apply(event) ?? [event] { handOn(event) }
            }
            return
        }
        guard let event = feed.event(sensor: feed.sensor.flatMap { motion.id($0) }), let events = filter.apply(event)
        else { return handOn() }
        feed.consume()
        for event in events { handOn(event) }
    }

    /// Hands on an event that a filter has made.
    private func handOn(_ event: TraceEvent) {
        switch event.contents {
        case .sample(let value, let kind, let sensor, let stamp):
            let measured = feed.bootTime(stamp ?? event.time ?? feed.lastPlace)
            motion.hub.post(
                MotionBatch(sensor: sensor, kind: kind, values: [value], times: [measured], arrival: clock.now))
        case .sensorLost(let error, let sensor): motion.hub.setStatus(.unavailable(error), of: sensor)
        case .sensorRegained(let sensor): motion.hub.setStatus(.available, of: sensor)
        default:
            feed.replace(with: event.contents)
            handOn()
        }
    }

    private func handOn() {
        // A trace that is behind a clock that was moved by hand catches up at once.
        let now = clock.now
        if hub.wantsLines, feed.isLine { feed.line().withUnsafeBytes { hub.post(line: $0, arrival: now) } }
        switch feed.content {
        case .position:
            feed.position.arrival = now
            if hub.wantsRawReports { feed.position.raw = feed.line() }
            hub.post(feed.position)
            feed.consume()
            return
        case .other(.sky(var sky)):
            sky.arrival = now
            hub.post(sky)
        case .other(.attitude(var attitude)):
            attitude.arrival = now
            hub.post(attitude)
        case .other(.devices(let receivers)): hub.post(receivers: receivers)
        case .other(.device(let receiver)): hub.post(receiver: receiver)
        case .other(.position), .other(.version), .other(.watch), .other(.error), .other(.other), .other(.malformed):
            break
        case .line: break
        case .sensorLost(let error):
            if let id = feed.sensor.flatMap({ motion.id($0) }) { motion.hub.setStatus(.unavailable(error), of: id) }
        case .sensorRegained:
            if let id = feed.sensor.flatMap({ motion.id($0) }) { motion.hub.setStatus(.available, of: id) }
        case .battery(let battery): status.post(battery)
        case .accessory(let event): accessories.take(event)
        case .beacon(.sighting(var sighting)):
            sighting.time = now
            beacons.post(sighting)
        case .beacon(.lost(let error)): beacons.setStatus(.unavailable(error))
        case .beacon(.regained): beacons.setStatus(.available)
        case .round: break
        case .lost(let error): hub.setStatus(.unavailable(error))
        case .regained: hub.setStatus(.available)
        }
        feed.consume()
    }

    /// Hands the readings that come next to those who want them; else they are only passed over.
    private func handOnSamples() {
        motion.update(&wanted)
        let sensor = feed.sensor ?? -1
        guard wanted.indices.contains(sensor), wanted[sensor] else {
            feed.skipSamples()
            feed.consume()
            return
        }
        // Taken out, so that there is one owner, and no copy.
        var batch = MotionBatch(sensor: "", kind: .pressure)
        swap(&batch, &batches[sensor])
        feed.takeSamples(into: &batch)
        feed.consume()
        motion.hub.post(batch)
        swap(&batch, &batches[sensor])
    }
}
