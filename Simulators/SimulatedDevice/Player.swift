// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import Trace

/// Lets a trace happen, step by step.
///
/// It belongs to whoever has claimed it, one at a time, which is why it needs no lock while it works.
final class Player: @unchecked Sendable {
    /// What one step did.
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
    private var accessories: RecordedAccessories
    private var feed: TraceFeed
    private let differences: AccessoryDifferences
    /// For each motion sensor whether somebody listens to it.
    private var wanted: [Bool] = []

    init(
        feed: TraceFeed, clock: VirtualClock, hub: PositionHub, motion: MotionFeed, status: StatusHub,
        accessories: SimulatedAccessorySource
    ) {
        self.feed = feed
        self.clock = clock
        self.hub = hub
        self.motion = motion
        self.status = status
        self.accessories = RecordedAccessories(source: accessories, clock: clock)
        differences = self.accessories.differences
    }

    /// Claims the player; false when somebody plays already, as in a callback.
    func claim() -> Bool {
        !isClaimed.exchange(true, ordering: .acquiring)
    }

    /// Gives the player back.
    func release() {
        isClaimed.store(false, ordering: .releasing)
    }

    /// When the next event of the trace is due; nil at its end.
    func nextEvent() -> BootTime? { feed.peek() }

    /// What could not be read of the trace so far.
    var warnings: [TraceWarning] { feed.warnings }

    /// What sessions with accessories lack up to now; anybody may look.
    var accessoryDifferences: [AccessoryDifference] { differences.all }

    /// What they lack if nothing happens any more.
    var outstandingDifferences: [AccessoryDifference] { accessories.outstanding() }

    /// True when a timer is due where the clock stands.
    var isTimerDue: Bool { clock.nextDeadline.map { $0 <= clock.now } ?? false }

    /// Lets happen what is next by the limit: the end of a quiet epoch, a timer, or an event of the trace.
    func step(upTo limit: BootTime) -> Step {
        let event = feed.peek()
        // At the end of the trace timers only run as far as somebody asked the clock to go, and those that are due.
        if event == nil, limit == .never {
            if isTimerDue {
                clock.runNextTimer(upTo: clock.now)
                return .happened
            }
            hub.flush()
            hub.settle()
            motion.hub.postQuiet()
            return .finished
        }
        let epoch = hub.nextDeadline
        let next = min(event ?? .never, epoch, limit)
        guard next != .never else { return .finished }
        guard clock.moveUnlessTimerIsDue(by: next) else {
            clock.runNextTimer(upTo: next)
            return .happened
        }
        if epoch <= next {
            hub.handOverDue(now: epoch)
            hub.settle()
        } else if let event, event <= next {
            handOn()
            return .handedOn
        } else {
            return .finished
        }
        return .happened
    }

    /// Hands the next event of the trace to the device.
    private func handOn() {
        if feed.kind == .sample {
            handOnSamples()
            return
        }
        // A trace that is behind a clock that was moved by hand catches up at once.
        let now = clock.now
        if hub.wantsLines, feed.isLine { feed.line().withUnsafeBytes { hub.post(line: $0, arrival: now) } }
        switch feed.content {
        case .position:
            feed.position.arrival = now
            if hub.wantsRawReports { feed.position.raw = feed.line() }
            hub.post(feed.position, settles: true)
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
        case .samples: break
        case .sensorLost(let error):
            if let id = feed.sensor.flatMap({ motion.id($0) }) { motion.hub.postLost(error, sensor: id) }
        case .sensorRegained:
            if let id = feed.sensor.flatMap({ motion.id($0) }) { motion.hub.postRegained(sensor: id) }
        case .battery(let battery): status.post(battery)
        case .accessory(let event): accessories.take(event)
        case .lost(let error): hub.postLost(error)
        case .regained: hub.postRegained()
        }
        hub.settle()
        feed.consume()
    }

    /// Hands the readings that come next to those who want them; else they are only passed over.
    private func handOnSamples() {
        motion.update(&wanted)
        let sensor = feed.sensor ?? -1
        let isWanted = wanted.indices.contains(sensor) && wanted[sensor]
        if let batch = feed.takeSamples(id: isWanted ? motion.id(sensor) : nil) { motion.hub.post(batch) }
        feed.consume()
    }
}
