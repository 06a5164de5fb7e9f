// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import MQTTClient
import Synchronization

/// Publishes this board's positions and motion sensor readings to an MQTT broker.
///
/// Positions are published as OwnTracks JSON on `owntracks/USER/DEVICE`, and the broker retains the last position.
/// Readings are published as SenML on `senml/USER/DEVICE/KIND`. Messages published from the same thread are sent in
/// order, with QoS 1. While the broker is unavailable, messages are queued on disk if
/// ``MQTTPublisherSettings/spoolFolder`` is set, and in memory otherwise. If the connection is lost before the broker
/// acknowledges a message, the message may be delivered twice. Subscribers can detect duplicate positions by their
/// time, which is `tst_ms` if present, or else `tst`.
///
/// Call ``end(within:)`` before releasing the publisher. Otherwise, readings that do not yet fill a message are lost.
/// Without a spool folder, all queued messages are lost too.
///
/// ```swift
/// var settings = MQTTPublisherSettings(
///     broker: try BrokerAddress("mqtts://broker.example"), user: "fleet", device: "car7")
/// settings.spoolFolder = "/var/lib/car7/spool"
/// let publisher = try MQTTPublisher(settings, clock: LiveClock()) { event in print(event) }
/// publisher.publish(report)  // or a CLLocation
/// publisher.end()
/// ```
///
/// Requires the package trait `LibMosquitto`. Without it, the initializer throws an error.
public final class MQTTPublisher: Sendable {
    /// A connection or spool event, delivered on the publisher's thread or on a thread that calls the publisher.
    public enum Event: Sendable {
        /// The broker has accepted the connection.
        case connected
        /// The connection was lost or could not be established. The event is not repeated until the broker has accepted
        /// another connection.
        case lost(DeviceError)
        /// The spool cannot be written or read. New messages are queued in memory, and unreadable messages are dropped.
        /// The event is not repeated until the spool has recovered.
        case spoolFailed(DeviceError)
    }

    private let work: PublisherLoop
    private let clock: any DeviceClock
    /// The readings that do not yet fill a message, grouped by sensor.
    private let pendingBatches = Mutex<[SensorDescription.ID: MotionBatch]>([:])

    /// Creates a publisher and starts connecting. Throws an error if the settings are invalid or the spool is unusable.
    ///
    /// `clock` is the clock used for timestamps in the published data. Pass the device's clock, so that data from a
    /// trace is published with the trace's times.
    public convenience init(
        _ settings: MQTTPublisherSettings, clock: any DeviceClock = LiveClock(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(DeviceError) {
        if let unavailability = Broker.unavailability { throw unavailability }
        try self.init(settings, clock: clock, open: Broker.open, onEvent: onEvent)
    }

    init(
        _ settings: MQTTPublisherSettings, clock: any DeviceClock, open: @escaping BrokerOpener,
        timing: PublisherTiming = PublisherTiming(), disk: SpoolFileSystem = SpoolFileSystem(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(DeviceError) {
        try settings.check()
        self.clock = clock
        work = try PublisherLoop(settings, open: open, timing: timing, disk: disk, onEvent: onEvent)
        try work.start()
    }

    deinit { work.end(by: .zero) }

    /// The error that ``init(_:clock:onEvent:)`` throws if the program was built without libmosquitto, or nil otherwise.
    package static var unavailability: DeviceError? { Broker.unavailability }

    /// Publishes a position. Ignores a report without a fix.
    public func publish(_ report: PositionReport) {
        guard let location = OwnTracksLocation(report, now: clock.wallTime) else { return }
        let settings = work.settings
        work.add(.position, topic: settings.topic, [location.json(tracker: settings.tracker)])
    }

    /// Publishes an object's position, such as that of a `CLLocation`. Ignores an object without a position.
    public func publish(_ position: some PositionReporting) { publish(position.positionReport) }

    /// Publishes sensor readings. Readings are combined into messages; a message is complete when it contains 64
    /// readings or spans at least 1 s.
    public func publish(_ batch: MotionBatch) {
        let completeBatch = pendingBatches.withLock { pending -> MotionBatch? in
            var merged = pending[batch.sensor] ?? MotionBatch(sensor: batch.sensor, kind: batch.kind)
            let count = batch.count
            merged.values += batch.values.prefix(count)
            merged.times += batch.times.prefix(count)
            guard let first = merged.times.first, let last = merged.times.last else { return nil }
            if merged.count >= SenMLPack.limit || last.seconds(since: first) >= 1 {
                pending[batch.sensor] = nil
                return merged
            }
            pending[batch.sensor] = merged
            return nil
        }
        // Sends outside the lock, because `send` may call `onEvent`. If two threads publish readings from the same
        // sensor, their batches may therefore be sent out of order.
        if let completeBatch { send(completeBatch) }
    }

    /// Immediately publishes all readings that do not yet fill a message. ``end(within:)`` does this too.
    public func flush() {
        let remaining = pendingBatches.withLock { pending in
            defer { pending = [:] }
            return pending.values.sorted { $0.sensor < $1.sensor }
        }
        for batch in remaining { send(batch) }
    }

    private func send(_ batch: MotionBatch) {
        let settings = work.settings
        let messages = SenMLPack.messages(batch, board: settings.device, clock: clock)
        work.add(.readings, topic: "senml/\(settings.user)/\(settings.device)/\(batch.kind.rawValue)", messages)
    }

    /// The publisher's counters.
    public var statistics: MQTTStatistics { work.statistics }

    /// Ends the publisher. Waits up to `time` for the broker to acknowledge the queued messages, and then disconnects.
    /// Any remaining messages stay in the spool folder. Another call can shorten the wait but not extend it. If called
    /// on the publisher's thread, returns without waiting.
    public func end(within time: Duration = .seconds(5)) {
        flush()
        let seconds = time.inSeconds
        work.end(by: LiveClock().now.advanced(bySeconds: seconds))
        // Waits up to 3 s longer than `time`, because disconnecting and writing the queue to disk also take time.
        work.waitForEnd(atMost: seconds + 3)
    }
}

/// A publisher's counters.
public struct MQTTStatistics: Sendable, Hashable {
    /// The number of messages created by the publisher, including dropped messages.
    public var published = 0
    /// The number of messages acknowledged by the broker.
    public var delivered = 0
    /// The number of queued messages, including those from previous runs.
    public var queued = 0
    /// The number of dropped messages. Messages are dropped if they are too long, the queue is full or the disk cannot
    /// be read, and also if they cannot be written to the spool folder when the publisher ends.
    public var dropped = 0
    /// The number of established connections.
    public var connections = 0

    package init() {}
}

/// A publisher's timing parameters, in seconds.
struct PublisherTiming: Sendable {
    /// The initial delay before reconnecting, which doubles with each failure.
    var initialRetryDelay = 1.0
    /// The maximum delay before reconnecting. Each delay is shortened by a random amount of up to 25 %, so that boards
    /// do not reconnect simultaneously.
    var maximumRetryDelay = 60.0
    /// The duration after which a connection is considered stable. A stable connection resets the retry delay.
    var stableDuration = 10.0
    /// The interval at which queued messages are synced to disk. A power failure loses at most one interval's messages.
    var syncInterval = 5.0
}
