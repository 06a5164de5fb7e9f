// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import Trace

/// Plays a trace step by step. No lock is needed, because only one thread at a time can claim the player.
final class Player: @unchecked Sendable {
    enum Step {
        /// Something other than a trace event was processed: a timer, delayed reports, the end of the trace or the
        /// beginning of the next pass.
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
    // Only the thread that has claimed the player accesses the variables, so Swift's exclusivity checks are disabled
    // for those used by every event.
    @exclusivity(unchecked) private var feed: TraceFeed
    /// The last event from the feed. It is kept to reuse the memory of its position.
    @exclusivity(unchecked) private var event = PlaybackEvent()
    private let differences: AccessoryDifferenceList
    /// For each element of `motion.sensors`, true if the sensor has subscribers.
    @exclusivity(unchecked) private var hasSubscribers: [Bool] = []
    /// The last batch for each element of `motion.sensors`, kept so that its memory is reused.
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

    /// Moves to a trace time, in seconds, and restores the device's state at that time.
    func seek(to seconds: Double) {
        hasEnded = false
        let state = feed.seek(to: seconds, now: clock.now)
        clock.setWallTime(WallTime(nanoseconds: origin.nanoseconds.addingSaturated(state.traceTime)))
        restore(state)
    }

    /// Restores the device's state. At the start of a new pass, `flushes` must be true, so that delayed reports from
    /// the preceding pass are delivered first.
    private func restore(_ state: PlaybackState, flushes: Bool = false) {
        hub.withBatch {
            if flushes { hub.flush() }
            hub.restart(fixes: state.fixes)
            if hub.receivers != state.receivers { hub.post(receivers: state.receivers) }
            hub.setStatus(SourceStatus(state.positionLoss))
        }
        for index in motion.sensors.indices {
            guard let id = motion.id(index) else { continue }
            motion.hub.setStatus(SourceStatus(state.sensorLosses[id]), of: id)
        }
        status.post(state.battery)
        beacons.setStatus(SourceStatus(state.beaconLoss))
        accessories.restore(state.accessories)
        epochDeadline = hub.nextDeadline
    }

    /// Moves the clock to the limit unless the clock has stopped. The caller must have claimed the player and have
    /// played all events up to the limit.
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
        let eventTime = feed.peek()
        if eventTime == nil, handleEnd() { return .progressed }
        let limit = eventTime == nil && limit != .never && isStopped ? min(limit, clock.now) : limit
        // Playback without a limit ends with the trace. The clock does not advance any further, so only timers that are
        // already due still run.
        if eventTime == nil, limit == .never {
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
        let next = min(eventTime ?? .never, epoch, limit)
        guard next != .never else { return .finished }
        guard clock.moveUnlessTimerIsDue(by: next) else {
            clock.runNextTimer(upTo: next)
            return .progressed
        }
        if epoch <= next {
            hub.deliverDueReports(now: epoch)
            epochDeadline = hub.nextDeadline
            return .progressed
        }
        guard let eventTime, eventTime <= next else { return .finished }
        return deliverNext(isLimited: limit != .never)
    }

    /// Delivers the next event. Motion samples are checked first, because they are the most frequent events.
    private func deliverNext(isLimited: Bool) -> Step {
        if filter?.includesSamples != true, let sensor = feed.sampledSensor {
            deliverSamples(of: sensor)
            return .delivered
        }
        let includesLine = hub.wantsLines || hub.wantsRawReports
        if let replacements = feed.next(into: &event, through: filter, includesLine: includesLine) {
            for replacement in replacements {
                feed.decode(replacement, into: &event)
                deliverEvent()
            }
        } else if case .loopStart(let state, let isEndless) = event.content {
            restore(state, flushes: true)
            // Without a limit, an endless trace would be played forever, so playback ends after one pass.
            return isEndless && !isLimited ? .finished : .progressed
        } else {
            deliverEvent()
        }
        epochDeadline = hub.nextDeadline
        return .delivered
    }

    private func deliverEvent() {
        // If the clock was advanced manually, trace events may be overdue. They are delivered immediately, with the
        // current time.
        let now = clock.now
        if hub.wantsLines, let line = event.line { line.withUnsafeBytes { hub.post(line: $0, arrival: now) } }
        switch event.content {
        case .position:
            event.position.arrival = now
            if hub.wantsRawReports { event.position.raw = event.line }
            hub.post(event.position)
        case .report(.sky(var sky)):
            sky.arrival = now
            hub.post(sky)
        case .report(.attitude(var attitude)):
            attitude.arrival = now
            hub.post(attitude)
        case .report(.devices(let receivers)): hub.post(receivers: receivers)
        case .report(.device(let receiver)): hub.post(receiver: receiver)
        case .sample(var batch):
            batch.arrival = now
            motion.hub.post(batch)
        case .other(.sensorLost(let error, let sensor)): motion.hub.setStatus(.unavailable(error), of: sensor)
        case .other(.sensorRegained(let sensor)): motion.hub.setStatus(.available, of: sensor)
        case .other(.battery(let battery)): status.post(battery)
        case .other(.accessory(let change)): accessories.process(change)
        case .other(.beacon(.sighting(var sighting))):
            sighting.time = now
            beacons.post(sighting)
        case .other(.beacon(.lost(let error))): beacons.setStatus(.unavailable(error))
        case .other(.beacon(.regained)): beacons.setStatus(.available)
        case .other(.lost(let error)): hub.setStatus(.unavailable(error))
        case .other(.regained): hub.setStatus(.available)
        case .report, .text, .loopStart, .ignored, .other(.gpsd), .other(.gpsdText), .other(.sample): break
        }
    }

    /// Delivers the next samples of a motion sensor, or skips them if the sensor has no subscribers.
    private func deliverSamples(of sensor: Int) {
        motion.update(&hasSubscribers)
        let isWanted = hasSubscribers.indices.contains(sensor) && hasSubscribers[sensor]
        // The batch is swapped out of the array to avoid copying its contents when it is modified.
        var batch = MotionBatch(sensor: "", kind: .pressure)
        if isWanted { swap(&batch, &batches[sensor]) }
        let hasSamples = feed.readSamples(into: &batch, isWanted: isWanted)
        guard isWanted else { return }
        if hasSamples { motion.hub.post(batch) }
        swap(&batch, &batches[sensor])
    }
}
