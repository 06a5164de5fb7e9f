// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Synchronization

/// Runs the publisher's thread: connects, sends messages until the connection ends, waits and reconnects.
final class PublisherLoop: Sendable {
    private struct State {
        let spool: Spool
        var statistics = MQTTStatistics()
        var hasReportedFailure = false
        /// The deadline for sending the queued messages, or nil until it is set by `end(by:)`.
        var end: BootTime?
        /// True while connected. Because a connected thread does not check the spool periodically, `add` must signal
        /// it.
        var isSending = false
        /// True after a failed connection attempt or a lost connection, until the next connection is established.
        var isDisconnected = false
        /// The time of the next spool sync, or nil while the publisher is connected and no messages are queued.
        var syncDeadline: BootTime?
        /// The thread that executes `run()`, as returned by `currentThread()`.
        var thread: UInt?

        mutating func nextUnreportedFailure() -> DeviceError? {
            let failure = spool.failure
            defer { hasReportedFailure = failure != nil }
            return hasReportedFailure ? nil : failure
        }
    }

    let settings: MQTTPublisherSettings
    private let timing: PublisherTiming
    private let open: BrokerOpener
    /// Called on the publisher's thread and by `add`, never with the lock held.
    private let onEvent: @Sendable (MQTTPublisher.Event) -> Void
    /// The clock for all timeouts. The published data's timestamps may come from a different clock, such as a trace's.
    private let clock = LiveClock()
    private let wakeUp: WakeupPipe
    private let disk: SpoolFileSystem
    private let state: Mutex<State>
    private let finished = BinarySemaphore()

    /// The maximum number of sent messages that the broker has not yet acknowledged.
    static let window = 20

    init(
        _ settings: MQTTPublisherSettings, open: @escaping BrokerOpener, timing: PublisherTiming, disk: SpoolFileSystem,
        onEvent: @escaping @Sendable (MQTTPublisher.Event) -> Void
    ) throws(DeviceError) {
        (self.settings, self.timing, self.open, self.onEvent, self.disk) = (settings, timing, open, onEvent, disk)
        wakeUp = try WakeupPipe(for: "the publisher")
        state = Mutex(State(spool: try Spool(folder: settings.spoolFolder, disk: disk)))
    }

    func start() throws(DeviceError) { try WorkerThread.start { self.run() } }

    // MARK: Interface for other threads

    func add(_ kind: SpoolRecord.Kind, topic: String, _ payloads: [[UInt8]]) {
        let (failure, isSending) = state.withLock { state -> (DeviceError?, Bool) in
            for payload in payloads {
                state.statistics.published += 1
                if !state.spool.append(kind, topic: topic, payload: payload) { state.statistics.dropped += 1 }
            }
            return (state.nextUnreportedFailure(), state.isSending)
        }
        if isSending { wakeUp.signal() }
        if let failure { onEvent(.spoolFailed(failure)) }
    }

    var statistics: MQTTStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.queued = state.spool.count
            statistics.dropped += state.spool.dropped
            return statistics
        }
    }

    func end(by time: BootTime) {
        state.withLock { $0.end = min($0.end ?? .never, time) }
        wakeUp.signal()
    }

    /// Waits for the publisher's thread to end. Returns immediately if called on that thread.
    func waitForEnd(atMost seconds: Double) {
        guard state.withLock({ $0.thread }) != currentThread() else { return }
        // Signals again, because other threads may be waiting too.
        if finished.wait(seconds: seconds) { finished.signal() }
    }

    // MARK: Publisher thread

    private var hasReachedDeadline: Bool { state.withLock { state in state.end.map { clock.now >= $0 } ?? false } }

    /// True if the publisher has been ended and no longer needs a connection, because either no messages are queued, or
    /// the broker is unavailable and all messages are on disk.
    private var isConnectionUnneeded: Bool {
        state.withLock { state in
            state.end != nil && (state.spool.count == 0 || state.isDisconnected && state.spool.isAllOnDisk)
        }
    }

    private func run() {
        state.withLock { $0.thread = currentThread() }
        var backoff = Backoff(first: timing.initialRetryDelay, limit: timing.maximumRetryDelay)
        while !hasReachedDeadline, !isConnectionUnneeded {
            var start: BootTime?
            do throws(DeviceError) {
                try serve(connected: &start)
                break
            } catch {
                // The retry delay is reset only after a stable connection. If connections keep ending quickly, for
                // example because two boards share a client ID, the delay continues to grow.
                if let start, clock.now.seconds(since: start) > timing.stableDuration { backoff.reset() }
                let isFirstFailure = state.withLock { state in
                    state.isSending = false
                    state.spool.rewind()
                    defer { state.isDisconnected = true }
                    return !state.isDisconnected
                }
                guard !hasReachedDeadline else { break }
                if isFirstFailure { onEvent(.lost(error)) }
                pause(seconds: backoff.nextDelay() * Double.random(in: 0.75...1))
            }
        }
        syncAll()
        state.withLock { $0.spool.close() }
        finished.signal()
    }

    private func serve(connected: inout BootTime?) throws(DeviceError) {
        let presence = settings.presence(at: clock.wallTime)
        var target = BrokerSettings(
            address: settings.broker, files: settings.files, clientID: settings.clientID,
            keepAlive: Int32(settings.keepAlive), will: presence.will)
        target.connectTimeout = min(target.connectTimeout, Double(settings.keepAlive))
        let connection = try open(target, wakeUp, clock)
        var inFlight = InFlightMessages()
        while !hasReachedDeadline {
            if connected != nil {
                try send(connection, &inFlight)
                if inFlight.isEmpty, isDone { break }
            } else if isConnectionUnneeded {
                return
            }
            let deadline = sync()
            for event in try connection.poll(until: state.withLock { min($0.end ?? .never, deadline) }) {
                switch event {
                case .connected:
                    connected = clock.now
                    state.withLock { state in
                        state.statistics.connections += 1
                        (state.isSending, state.isDisconnected) = (true, false)
                    }
                    onEvent(.connected)
                    // The birth messages are not added to `inFlight`, because they are not in the spool.
                    for message in presence.birthMessages { _ = try connection.publish(message) }
                case .delivered(let number): acknowledge(inFlight.acknowledge(number))
                case .subscribed, .message: break
                }
            }
        }
        // If earlier messages are unacknowledged, the final message would be queued and never sent. In this case, the
        // connection is closed without a call to `disconnect()`, so that the broker publishes the will instead.
        guard connected != nil, inFlight.isEmpty else { return }
        _ = try connection.publish(presence.will)
        connection.disconnect()
    }

    private var isDone: Bool { state.withLock { $0.end != nil && $0.spool.count == 0 } }

    private func send(_ connection: any BrokerConnection, _ inFlight: inout InFlightMessages) throws(DeviceError) {
        while inFlight.count < Self.window {
            let (next, isLast, failure) = state.withLock { state in
                let next = state.spool.next()
                return (next, next?.number == state.spool.lastPosition, state.nextUnreportedFailure())
            }
            if let failure { onEvent(.spoolFailed(failure)) }
            guard let record = next else { return }
            // Only the newest position is published as a retained message, so that new subscribers never receive an
            // outdated position.
            let message = BrokerMessage(topic: record.topic, payload: record.payload, isRetained: isLast)
            inFlight.append(try connection.publish(message), record: record.number)
        }
    }

    private func acknowledge(_ numbers: [UInt64]) {
        guard !numbers.isEmpty else { return }
        state.withLock { state in
            for number in numbers { state.spool.acknowledge(number) }
            state.statistics.delivered += numbers.count
        }
    }

    private func pause(seconds: Double) {
        let end = clock.now.advanced(bySeconds: seconds)
        while !hasReachedDeadline, !isConnectionUnneeded, clock.now < end {
            let deadline = min(end, sync())
            _ = wakeUp.wait(for: nil, until: state.withLock { min($0.end ?? .never, deadline) }, clock: clock)
        }
    }

    /// Syncs the spool if due. Returns the time of the next sync.
    private func sync() -> BootTime {
        guard settings.spoolFolder != nil else { return .never }
        let now = clock.now
        let (isDue, deadline) = state.withLock { state -> (Bool, BootTime) in
            let next = now.advanced(bySeconds: timing.syncInterval)
            guard state.spool.count > 0 else {
                // While `isSending` is false, `add` does not wake this thread, so it must check the spool again later.
                state.syncDeadline = state.isSending ? nil : next
                return (false, state.syncDeadline ?? .never)
            }
            let deadline = state.syncDeadline ?? next
            let isDue = now >= deadline
            state.syncDeadline = isDue ? next : deadline
            return (isDue, isDue ? next : deadline)
        }
        if isDue { syncAll() }
        return deadline
    }

    /// Syncs the spool, without holding the lock, because syncing may be slow.
    private func syncAll() {
        while let duplicate = state.withLock({ $0.spool.duplicateToSync() }) {
            disk.sync(duplicate)
            systemClose(duplicate)
        }
    }
}

/// The messages sent but not yet acknowledged, in order.
struct InFlightMessages {
    private var records: [(message: Int32, record: UInt64, isAcknowledged: Bool)] = []

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }

    mutating func append(_ message: Int32, record: UInt64) { records.append((message, record, false)) }

    /// Records a message's acknowledgement. Removes all messages before the first unacknowledged one, and returns their
    /// record numbers.
    mutating func acknowledge(_ message: Int32) -> [UInt64] {
        guard let index = records.firstIndex(where: { $0.message == message }) else { return [] }
        records[index].isAcknowledged = true
        let count = records.firstIndex { !$0.isAcknowledged } ?? records.count
        defer { records.removeFirst(count) }
        return records[..<count].map(\.record)
    }
}
