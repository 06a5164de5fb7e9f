// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import BoardMessages
import BrokerLink
import Synchronization

/// Publishes where this board is, and how it moves, at an MQTT broker.
///
/// Positions are OwnTracks' JSON on `owntracks/USER/DEVICE`, of which the broker keeps the last; readings are SenML on
/// `senml/USER/DEVICE/KIND`. Each message is sent until the broker has taken it (QoS 1), in order. While the broker is away
/// they wait: on the disk where ``MQTTPublisherSettings/spoolFolder`` names a folder, else in memory. A message may come
/// twice when the connection breaks off before the broker's answer; `tst` and `tst_ms` tell them apart.
///
/// ```swift
/// var settings = MQTTPublisherSettings(broker: try BrokerAddress("mqtts://broker.example"), user: "fleet", device: "car7")
/// settings.spoolFolder = "/var/lib/car7/spool"
/// let publisher = try MQTTPublisher(settings, clock: LiveClock()) { event in print(event) }
/// publisher.publish(report)  // or a CLLocation
/// publisher.end()
/// ```
///
/// It needs the trait `LibMosquitto`; without it there is an error at once.
public final class MQTTPublisher: Sendable {
    /// What happens to the connection and to the spool. Told on the publisher's thread, or on that of whoever publishes.
    public enum Event: Sendable {
        /// The broker has let this board in.
        case connected
        /// There is no connection, and why. Told once for each loss; the publisher goes on trying.
        case lost(DeviceError)
        /// The disk does not take what waits, or does not give it back: newer messages are kept in memory, the oldest make way,
        /// and what cannot be read is dropped. Told once until it works again.
        case spoolFailed(DeviceError)
    }

    private let work: PublisherWork
    private let clock: any DeviceClock
    private let gathered = Mutex<[SensorDescription.ID: MotionBatch]>([:])

    /// Begins to connect. The error says what is wrong with the settings or with the spool.
    ///
    /// - Parameters:
    ///   - settings: who publishes what, and where.
    ///   - clock: the clock of what will be published: that of the device, so that a trace keeps its times.
    ///   - tell: hears what happens.
    public convenience init(
        _ settings: MQTTPublisherSettings, clock: any DeviceClock = LiveClock(),
        tell: @escaping @Sendable (Event) -> Void = { _ in }
    ) throws(DeviceError) {
        if let absence = Broker.absence { throw absence }
        try self.init(settings, clock: clock, open: Broker.open, tell: tell)
    }

    /// The same over connections of another kind.
    init(
        _ settings: MQTTPublisherSettings, clock: any DeviceClock, open: @escaping BrokerOpener,
        timing: PublisherTiming = PublisherTiming(), disk: SpoolDisk = SpoolDisk(),
        tell: @escaping @Sendable (Event) -> Void
    ) throws(DeviceError) {
        try settings.check()
        self.clock = clock
        work = try PublisherWork(settings, open: open, timing: timing, disk: disk, tell: tell)
        try work.start()
    }

    deinit { work.end(by: .zero) }

    /// Publishes a position. A report without a fix is passed over.
    public func publish(_ report: PositionReport) {
        guard let location = OwnTracksLocation(report, now: clock.wallTime) else { return }
        let settings = work.settings
        work.add(.position, topic: settings.topic, [location.json(tracker: settings.tracker)])
    }

    /// Publishes where a thing says that it is: a `CLLocation` of Core Location, as a delegate gets it. One without a position
    /// is passed over.
    public func publish(_ position: some PositionReporting) { publish(position.positionReport) }

    /// Publishes readings of a sensor: those of a second together, 64 at most in a message.
    public func publish(_ batch: MotionBatch) {
        let whole = gathered.withLock { gathered -> MotionBatch? in
            var sum = gathered[batch.sensor] ?? MotionBatch(sensor: batch.sensor, kind: batch.kind)
            let count = batch.count
            sum.values += batch.values.prefix(count)
            sum.times += batch.times.prefix(count)
            guard let first = sum.times.first, let last = sum.times.last else { return nil }
            if sum.count >= SenMLPack.limit || last.seconds(since: first) >= 1 {
                gathered[batch.sensor] = nil
                return sum
            }
            gathered[batch.sensor] = sum
            return nil
        }
        if let whole { send(whole) }
    }

    /// Publishes the readings that wait for others of their second. Ending does it too.
    public func flush() {
        let rest = gathered.withLock { gathered in
            defer { gathered = [:] }
            return gathered.values.sorted { $0.sensor < $1.sensor }
        }
        for batch in rest { send(batch) }
    }

    private func send(_ batch: MotionBatch) {
        let settings = work.settings
        let messages = SenMLPack.messages(batch, board: settings.device, clock: clock)
        work.add(.readings, topic: "senml/\(settings.user)/\(settings.device)/\(batch.kind.rawValue)", messages)
    }

    /// What has happened so far.
    public var statistics: MQTTStatistics { work.statistics }

    /// Ends: waits so long for the broker to take what waits, then disconnects. What the broker has not taken by then stays in
    /// the spool's folder for the next run. Does nothing the second time, and does not wait where events are told.
    public func end(within seconds: Double = 5) {
        flush()
        work.end(by: LiveClock().now.advanced(bySeconds: seconds))
        work.waitForEnd(atMost: seconds + 3)
    }
}

/// What a publisher has done so far.
public struct MQTTStatistics: Sendable, Hashable {
    /// Messages that were to be published.
    public var published = 0
    /// Messages that the broker has taken.
    public var delivered = 0
    /// Messages that wait, those of former runs included.
    public var waiting = 0
    /// Messages that were given up: there was no room for them, or the disk did not give them back. At the end, with a
    /// spool's folder, those too that the disk has not taken.
    public var dropped = 0
    /// Connections that were made.
    public var connections = 0

    /// Nothing done yet.
    public init() {}
}

/// The times by which a publisher goes, in seconds.
struct PublisherTiming: Sendable {
    /// The pause before the first new attempt to connect; it doubles with each failure...
    var firstRetry = 1.0
    /// ...up to this one. Boards that have lost one broker together do not come back at the same moment: each pause is
    /// shortened by up to a quarter.
    var lastRetry = 60.0
    /// A connection over which the broker has let this client in so long ago was a good one: pauses begin anew after it.
    var steady = 10.0
    /// For so long at most something waits before the disk is made to catch up.
    var sync = 5.0
}
