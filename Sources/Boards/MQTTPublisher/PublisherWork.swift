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
        /// Somebody waits for messages to send.
        var isSending = false
    }

    let settings: MQTTPublisherSettings
    private let timing: PublisherTiming
    private let open: BrokerOpener
    private let tell: @Sendable (MQTTPublisher.Event) -> Void
    private let clock = LiveClock()
    private let wakeUp: WakeUp
    private let state: Mutex<State>
    private let over = Bell()

    /// The most messages that were sent and not taken yet.
    static let window = 20

    init(
        _ settings: MQTTPublisherSettings, open: @escaping BrokerOpener, timing: PublisherTiming,
        tell: @escaping @Sendable (MQTTPublisher.Event) -> Void
    ) throws(DeviceError) {
        (self.settings, self.timing, self.open, self.tell) = (settings, timing, open, tell)
        wakeUp = try WakeUp(for: "the publisher")
        state = Mutex(State(spool: try Spool(folder: settings.spoolFolder)))
    }

    func start() throws(DeviceError) { try WorkerThread.start { self.run() } }

    // MARK: From other threads

    func add(_ kind: SpoolRecord.Kind, topic: String, _ payloads: [[UInt8]]) {
        let (failure, isAwaited) = state.withLock { state -> (DeviceError?, Bool) in
            for payload in payloads {
                state.statistics.published += 1
                if !state.spool.append(kind, topic: topic, payload: payload) { state.statistics.dropped += 1 }
            }
            let failure = state.spool.failure
            defer { state.hasTold = failure != nil }
            return (state.hasTold ? nil : failure, state.isSending)
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

    func waitForEnd(atMost seconds: Double) { over.wait(seconds: seconds) }

    // MARK: The thread

    /// True when it has to end, whatever waits.
    private var isOver: Bool { state.withLock { state in state.end.map { clock.now >= $0 } ?? false } }

    /// True when it is to end, there is no connection, and waiting for one would give nothing.
    private var isVain: Bool {
        state.withLock { $0.end != nil && (settings.spoolFolder != nil || $0.spool.count == 0) }
    }

    private func run() {
        var backoff = Backoff(first: timing.firstRetry, limit: timing.lastRetry)
        var isLost = false
        while !isOver, !isVain {
            let start = clock.now
            do throws(DeviceError) {
                try serve(&isLost)
                break
            } catch {
                // One that breaks off again and again is waited for longer and longer: two boards of one name end each
                // other's connections.
                if clock.now.seconds(since: start) > timing.steady { backoff.reset() }
                state.withLock { state in
                    state.isSending = false
                    state.spool.rewind()
                }
                if !isLost { tell(.lost(error)) }
                isLost = true
                pause(seconds: backoff.take() * Double.random(in: 0.75...1))
            }
        }
        state.withLock { $0.spool.close() }
        over.ring()
    }

    /// Sends until the publisher ends; that the connection ends is an error.
    private func serve(_ isLost: inout Bool) throws(DeviceError) {
        let presence = settings.presence(at: clock.wallTime)
        var target = BrokerSettings(
            address: settings.broker, files: settings.files, clientID: settings.clientID,
            keepAlive: Int32(settings.keepAlive), will: presence.will)
        target.patience = min(target.patience, Double(settings.keepAlive))
        let link = try open(target, wakeUp, clock)
        var flight = Flight()
        var isConnected = false
        while !isOver {
            if isConnected {
                try send(link, &flight)
                if flight.isEmpty, isDone { return try leave(link, presence) }
            } else if isVain {
                return
            }
            let deadline = state.withLock { $0.end ?? .never }
            for event in try link.work(until: deadline) {
                switch event {
                case .connected:
                    isConnected = true
                    isLost = false
                    state.withLock { state in
                        state.statistics.connections += 1
                        state.isSending = true
                    }
                    tell(.connected)
                    for message in presence.hello { _ = try link.publish(message) }
                case .delivered(let number): take(flight.landed(number))
                case .following, .message: break
                }
            }
        }
        if isConnected { try leave(link, presence) }
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
            let next = state.withLock { state in
                state.spool.next().map { ($0, isLast: $0.number == state.spool.lastPosition) }
            }
            guard let (record, isLast) = next else { return }
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

    /// Waits, and has the disk catch up meanwhile: power may fail.
    private func pause(seconds: Double) {
        let end = clock.now.advanced(bySeconds: seconds)
        var sync = clock.now
        while !isOver, !isVain, clock.now < end {
            if clock.now >= sync {
                let descriptor = state.withLock { $0.spool.descriptorToSync() }
                if descriptor >= 0 {
                    fdatasync(descriptor)
                    systemClose(descriptor)
                }
                sync = clock.now.advanced(bySeconds: timing.sync)
            }
            _ = wakeUp.wait(for: nil, until: min(end, sync), clock: clock)
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
