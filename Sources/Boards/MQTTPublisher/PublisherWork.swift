// SPDX-License-Identifier: Apache-2.0

import BrokerLink
import DeviceCore
import Synchronization

/// The work of a publisher's thread: connect, send until the connection ends, wait, and again.
final class PublisherWork: Sendable {
    private struct State {
        let spool: Spool
        var statistics = MQTTStatistics()
        /// The spool's failure was told.
        var hasTold = false
        /// When to end whatever waits; nil to go on.
        var end: BootTime?
        /// There is a connection, over which to send messages.
        var isSending = false
        /// An attempt has failed, or the connection was lost, since there was one.
        var isAway = false
        /// When the disk is to catch up; nil while nothing waits and messages are sent.
        var sync: BootTime?
        /// The one that works.
        var thread: UInt?

        /// The spool's failure, once.
        mutating func failureToTell() -> DeviceError? {
            let failure = spool.failure
            defer { hasTold = failure != nil }
            return hasTold ? nil : failure
        }
    }

    let settings: MQTTPublisherSettings
    private let timing: PublisherTiming
    private let open: BrokerOpener
    private let tell: @Sendable (MQTTPublisher.Event) -> Void
    private let clock = LiveClock()
    private let wakeUp: WakeUp
    private let disk: SpoolDisk
    private let state: Mutex<State>
    private let over = Bell()

    /// The most messages that were sent and not taken yet.
    static let window = 20

    init(
        _ settings: MQTTPublisherSettings, open: @escaping BrokerOpener, timing: PublisherTiming, disk: SpoolDisk,
        tell: @escaping @Sendable (MQTTPublisher.Event) -> Void
    ) throws(DeviceError) {
        (self.settings, self.timing, self.open, self.tell, self.disk) = (settings, timing, open, tell, disk)
        wakeUp = try WakeUp(for: "the publisher")
        state = Mutex(State(spool: try Spool(folder: settings.spoolFolder, disk: disk)))
    }

    func start() throws(DeviceError) { try WorkerThread.start { self.run() } }

    // MARK: From other threads

    func add(_ kind: SpoolRecord.Kind, topic: String, _ payloads: [[UInt8]]) {
        let (failure, isAwaited) = state.withLock { state -> (DeviceError?, Bool) in
            for payload in payloads {
                state.statistics.published += 1
                if !state.spool.append(kind, topic: topic, payload: payload) { state.statistics.dropped += 1 }
            }
            return (state.failureToTell(), state.isSending)
        }
        if isAwaited { wakeUp.signal() }
        if let failure { tell(.spoolFailed(failure)) }
    }

    var statistics: MQTTStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.spool.count
            statistics.dropped += state.spool.dropped
            return statistics
        }
    }

    func end(by time: BootTime) {
        state.withLock { $0.end = min($0.end ?? .never, time) }
        wakeUp.signal()
    }

    /// Does not wait on the thread itself, which is where events are told.
    func waitForEnd(atMost seconds: Double) {
        guard state.withLock({ $0.thread }) != currentThread() else { return }
        // For the next one who waits.
        if over.wait(seconds: seconds) { over.ring() }
    }

    // MARK: The thread

    /// True when it has to end, whatever waits.
    private var isOver: Bool { state.withLock { state in state.end.map { clock.now >= $0 } ?? false } }

    /// True when it is to end, there is no connection, and waiting for one would give nothing.
    private var isVain: Bool {
        state.withLock { state in
            state.end != nil && (state.spool.count == 0 || state.isAway && state.spool.isAllOnDisk)
        }
    }

    private func run() {
        state.withLock { $0.thread = currentThread() }
        var backoff = Backoff(first: timing.firstRetry, limit: timing.lastRetry)
        while !isOver, !isVain {
            var start: BootTime?
            do throws(DeviceError) {
                try serve(connected: &start)
                break
            } catch {
                // One that breaks off again and again is waited for longer and longer: two boards of one name end each
                // other's connections.
                if let start, clock.now.seconds(since: start) > timing.steady { backoff.reset() }
                let isNews = state.withLock { state in
                    state.isSending = false
                    state.spool.rewind()
                    defer { state.isAway = true }
                    return !state.isAway
                }
                guard !isOver else { break }
                if isNews { tell(.lost(error)) }
                pause(seconds: backoff.take() * Double.random(in: 0.75...1))
            }
        }
        syncAll()
        state.withLock { $0.spool.close() }
        over.ring()
    }

    /// Sends until the publisher ends; that the connection ends is an error.
    private func serve(connected: inout BootTime?) throws(DeviceError) {
        let presence = settings.presence(at: clock.wallTime)
        var target = BrokerSettings(
            address: settings.broker, files: settings.files, clientID: settings.clientID,
            keepAlive: Int32(settings.keepAlive), will: presence.will)
        target.patience = min(target.patience, Double(settings.keepAlive))
        let link = try open(target, wakeUp, clock)
        var flight = Flight()
        while !isOver {
            if connected != nil {
                try send(link, &flight)
                if flight.isEmpty, isDone { break }
            } else if isVain {
                return
            }
            let deadline = sync()
            for event in try link.work(until: state.withLock { min($0.end ?? .never, deadline) }) {
                switch event {
                case .connected:
                    connected = clock.now
                    state.withLock { state in
                        state.statistics.connections += 1
                        (state.isSending, state.isAway) = (true, false)
                    }
                    tell(.connected)
                    for message in presence.hello { _ = try link.publish(message) }
                case .delivered(let number): take(flight.landed(number))
                case .following, .message: break
                }
            }
        }
        // A goodbye would wait behind what the broker has not answered, and never go out. Without one the broker says it when
        // the link is gone.
        if connected != nil, flight.isEmpty { try leave(link, presence) }
    }

    /// True when it is to end and all is sent.
    private var isDone: Bool { state.withLock { $0.end != nil && $0.spool.count == 0 } }

    /// Says goodbye as the broker would, so that nobody takes the last fix for a present one.
    private func leave(_ link: any BrokerLink, _ presence: MQTTPublisherSettings.Presence) throws(DeviceError) {
        _ = try link.publish(presence.will)
        link.end()
    }

    private func send(_ link: any BrokerLink, _ flight: inout Flight) throws(DeviceError) {
        while flight.count < Self.window {
            let (next, isLast, failure) = state.withLock { state in
                let next = state.spool.next()
                return (next, next?.number == state.spool.lastPosition, state.failureToTell())
            }
            if let failure { tell(.spoolFailed(failure)) }
            guard let record = next else { return }
            // What is retained is what newcomers get: the last fix there is, not one of those that come late.
            let message = BrokerMessage(topic: record.topic, payload: record.payload, isRetained: isLast)
            flight.started(try link.publish(message), record: record.number)
        }
    }

    private func take(_ numbers: [UInt64]) {
        guard !numbers.isEmpty else { return }
        state.withLock { state in
            for number in numbers { state.spool.acknowledge(number) }
            state.statistics.delivered += numbers.count
        }
    }

    private func pause(seconds: Double) {
        let end = clock.now.advanced(bySeconds: seconds)
        while !isOver, !isVain, clock.now < end {
            let deadline = min(end, sync())
            _ = wakeUp.wait(for: nil, until: state.withLock { min($0.end ?? .never, deadline) }, clock: clock)
        }
    }

    /// Has the disk catch up when something has waited for long: power may fail. Returns when to do so next.
    private func sync() -> BootTime {
        guard settings.spoolFolder != nil else { return .never }
        let now = clock.now
        let (isDue, deadline) = state.withLock { state -> (Bool, BootTime) in
            let next = now.advanced(bySeconds: timing.sync)
            guard state.spool.count > 0 else {
                // What is appended wakes a thread only while it sends.
                state.sync = state.isSending ? nil : next
                return (false, state.sync ?? .never)
            }
            let deadline = state.sync ?? next
            let isDue = now >= deadline
            state.sync = isDue ? next : deadline
            return (isDue, isDue ? next : deadline)
        }
        if isDue { syncAll() }
        return deadline
    }

    /// Not under the lock: a disk may take its time.
    private func syncAll() {
        while let descriptor = state.withLock({ $0.spool.descriptorToSync() }) {
            disk.sync(descriptor)
            systemClose(descriptor)
        }
    }
}

/// The messages that were sent and not taken yet, in order.
struct Flight {
    private var records: [(message: Int32, record: UInt64, isTaken: Bool)] = []

    var count: Int { records.count }
    var isEmpty: Bool { records.isEmpty }

    mutating func started(_ message: Int32, record: UInt64) { records.append((message, record, false)) }

    /// The broker has taken a message. Returns the records that it has now without a gap before them.
    mutating func landed(_ message: Int32) -> [UInt64] {
        guard let index = records.firstIndex(where: { $0.message == message }) else { return [] }
        records[index].isTaken = true
        let count = records.firstIndex { !$0.isTaken } ?? records.count
        defer { records.removeFirst(count) }
        return records[..<count].map(\.record)
    }
}
