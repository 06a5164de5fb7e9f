// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import Trace

/// Plays a trace step by step. Playback needs no lock, because only one thread at a time can claim the player.
final class Player: @unchecked Sendable {
    enum Step {
        /// Something other than a trace event was processed: a timer fired, the hub delivered delayed reports, the end
        /// of the trace was handled, or the next pass began.
        case progressed
        /// The next trace event was processed.
        case delivered
        /// No more events are due before the limit.
        case finished
    }

    private let isAcquired = Atomic<Bool>(false)
    private let clock: VirtualClock
    private let hub: PositionHub
    private let motion: MotionFeed
    private let status: StatusHub
    private let beacons: BeaconHub
    private var accessories: RecordedAccessories
    // Only the thread that has claimed the player accesses the variables. The claim prevents concurrent accesses, so
    // Swift's exclusivity checks are disabled for the variables that every event uses.
    @exclusivity(unchecked) private var feed: TraceFeed
    private let differences: AccessoryDifferenceList
    /// For each element of `motion.sensors`, true if the sensor has subscribers.
    @exclusivity(unchecked) private var hasSubscribers: [Bool] = []
    /// The last batch of each element of `motion.sensors`, kept to reuse its memory.
    @exclusivity(unchecked) private var batches: [MotionBatch] = []
    @exclusivity(unchecked) var filter: PlaybackFilter?
    private let end: PlaybackEnd
    /// The wall-clock time at the start of the trace.
    private let origin: WallTime
    /// A copy of the hub's next deadline. Motion samples are the most frequent events and never change the deadline, so
    /// the copy is not updated after them.
    private var epochDeadline = BootTime.never
    private var hasEnded = false

    init(
        feed: TraceFeed, clock: VirtualClock, origin: WallTime, hub: PositionHub, motion: MotionFeed, status: StatusHub,
        beacons: BeaconHub, accessories: SimulatedAccessorySource, end: PlaybackEnd
    ) {
        (self.end, self.origin, self.feed, self.clock, self.hub, self.motion) = (end, origin, feed, clock, hub, motion)
        (self.status, self.beacons) = (status, beacons)
        self.accessories = RecordedAccessories(source: accessories, clock: clock)
        differences = self.accessories.differences
        batches = motion.sensors.map { MotionBatch(sensor: $0.id, kind: $0.kind) }
        // Nothing is delivered, because there are no subscribers yet.
        restore(self.feed.seekToStart())
    }

    /// Claims the player. Returns false if it is already claimed, for example during a callback.
    func acquire() -> Bool { !isAcquired.exchange(true, ordering: .acquiring) }

    func release() { isAcquired.store(false, ordering: .releasing) }

    /// Moves to a trace time in seconds and restores the device's state at that time.
    func seek(to seconds: Double) {
        let traceTime = TraceFeed.traceTime(seconds)
        hasEnded = false
        let state = feed.seek(to: traceTime, now: clock.now)
        clock.setWallTime(WallTime(nanoseconds: origin.nanoseconds.addingSaturated(feed.lastTraceTime)))
        restore(state)
    }

    /// Restores the device's state. At the start of a new pass, `flushes` must be true, so that delayed reports of the
    /// preceding pass are delivered first.
    private func restore(_ state: PlaybackState, flushes: Bool = false) {
        hub.withBatch {
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
        epochDeadline = hub.nextDeadline
    }

    /// Moves the clock to the limit unless the clock has stopped. The caller must have claimed the player and played
    /// all events up to the limit.
    func moveClock(to limit: BootTime) { if limit != .never, !isStopped { clock.move(to: limit) } }

    /// True if the clock has stopped because the trace has ended.
    private var isStopped: Bool {
        guard case .stop = end else { return false }
        return feed.peek() == nil
    }

    /// Handles the end of the trace once. Returns true if anything was done.
    private func handleEnd() -> Bool {
        guard !hasEnded else { return false }
        hasEnded = true
        switch end {
        case .hold: return false
        case .stop:
            // The clock will not reach the deadlines of delayed reports, so the reports are delivered now.
            hub.flush()
        case .fail(let error):
            hub.setStatus(.unavailable(error))
            for sensor in motion.sensors { motion.hub.setStatus(.unavailable(error), of: sensor.id) }
            beacons.setStatus(.unavailable(error))
        }
        epochDeadline = hub.nextDeadline
        return true
    }

    func nextEvent() -> BootTime? { feed.peek() }

    var warnings: [TraceWarning] { feed.warnings }

    /// The differences detected so far. Can be read from any thread.
    var accessoryDifferences: [AccessoryDifference] { differences.all }

    var outstandingDifferences: [AccessoryDifference] { accessories.outstanding() }

    func accessory(named name: String) -> AccessoryDescription.ID? { accessories.id(of: name) }

    var isTimerDue: Bool { clock.nextDeadline.map { $0 <= clock.now } ?? false }

    /// Performs the next action that is due before the limit: delivers delayed reports, runs a timer or processes a
    /// trace event.
    func step(upTo limit: BootTime) -> Step {
        let event = feed.peek()
        if event == nil, handleEnd() { return .progressed }
        let limit = event == nil && limit != .never && isStopped ? min(limit, clock.now) : limit
        // Playback without a limit ends with the trace. The clock does not advance any further, so only timers that are
        // already due still run.
        if event == nil, limit == .never {
            if isTimerDue {
                clock.runNextTimer(upTo: clock.now)
                return .progressed
            }
            hub.flush()
            epochDeadline = hub.nextDeadline
            motion.hub.postInputIdle()
            return .finished
        }
        let epoch = epochDeadline
        let next = min(event ?? .never, epoch, limit)
        guard next != .never else { return .finished }
        guard clock.moveUnlessTimerIsDue(by: next) else {
            clock.runNextTimer(upTo: next)
            return .progressed
        }
        if epoch <= next {
            hub.deliverDueReports(now: epoch)
            self.epochDeadline = hub.nextDeadline
        } else if let event, event <= next {
            // The kind is checked first, because it is cheaper to check than the content.
            if feed.kind == .battery, case .loopStart(let state) = feed.content {
                restore(state, flushes: true)
                feed.consume()
                // Without a limit, an endless trace would be played forever, so playback ends after one pass.
                return limit == .never && feed.isEndless ? .finished : .progressed
            }
            if feed.kind == .sample, filter?.includesSamples != true {
                deliverSamples()
            } else {
                if let filter { deliver(through: filter) } else { deliverEvent() }
                self.epochDeadline = hub.nextDeadline
            }
            return .delivered
        } else {
            return .finished
        }
        return .progressed
    }

    private var sensorID: SensorDescription.ID? { feed.sensor.flatMap { motion.id($0) } }

    private func deliver(through filter: PlaybackFilter) {
        guard feed.kind != .sample else {
            var batch = MotionBatch(sensor: "", kind: .pressure)
            guard let id = sensorID, let kind = feed.record?.sample?.kind else { return deliverSamples() }
            feed.readSamples(into: &batch)
            feed.consume()
            let (origin, traceTime) = (feed.bootTime(0).nanoseconds, feed.lastTraceTime)
            for (value, time) in zip(batch.values, batch.times) {
                let stamp = time.nanoseconds.subtractingSaturated(origin)
                let event = TraceEvent(time: traceTime, .sample(value, kind: kind, sensor: id, stamp: stamp))
                for event in filter.apply(event) ?? [event] { deliver(event) }
            }
            return
        }
        guard let event = feed.event(sensor: sensorID), let events = filter.apply(event) else { return deliverEvent() }
        feed.consume()
        for event in events { deliver(event) }
    }

    private func deliver(_ event: TraceEvent) {
        switch event.contents {
        case .sample(let value, let kind, let sensor, let stamp):
            let measured = feed.bootTime(stamp ?? event.time ?? feed.lastTraceTime)
            motion.hub.post(
                MotionBatch(sensor: sensor, kind: kind, values: [value], times: [measured], arrival: clock.now))
        case .sensorLost(let error, let sensor): motion.hub.setStatus(.unavailable(error), of: sensor)
        case .sensorRegained(let sensor): motion.hub.setStatus(.available, of: sensor)
        default:
            feed.replace(with: event.contents)
            deliverEvent()
        }
    }

    private func deliverEvent() {
        // If the clock was advanced manually, trace events may be overdue. They are delivered immediately, with the
        // current time.
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
        case .sensorLost(let error): if let sensorID { motion.hub.setStatus(.unavailable(error), of: sensorID) }
        case .sensorRegained: if let sensorID { motion.hub.setStatus(.available, of: sensorID) }
        case .battery(let battery): status.post(battery)
        case .accessory(let event): accessories.process(event)
        case .beacon(.sighting(var sighting)):
            sighting.time = now
            beacons.post(sighting)
        case .beacon(.lost(let error)): beacons.setStatus(.unavailable(error))
        case .beacon(.regained): beacons.setStatus(.available)
        case .loopStart: break
        case .lost(let error): hub.setStatus(.unavailable(error))
        case .regained: hub.setStatus(.available)
        }
        feed.consume()
    }

    /// Delivers the next samples of a motion sensor, or skips them if the sensor has no subscribers.
    private func deliverSamples() {
        motion.update(&hasSubscribers)
        let sensor = feed.sensor ?? -1
        guard hasSubscribers.indices.contains(sensor), hasSubscribers[sensor] else {
            feed.skipSamples()
            feed.consume()
            return
        }
        // The batch is swapped out of the array, so that changing it does not copy its contents.
        var batch = MotionBatch(sensor: "", kind: .pressure)
        swap(&batch, &batches[sensor])
        feed.readSamples(into: &batch)
        feed.consume()
        motion.hub.post(batch)
        swap(&batch, &batches[sensor])
    }
}
