// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import SystemCalls

/// A connection to gpsd, read by the source's thread or the subscriber's executor.
final class GPSDConnection: PollableSource {
    private struct Content: ~Copyable {
        let socket: Socket
        var framer = LineFramer()
        var reader: LineReader
        var decoder: any ReportDecoder
        var demand: UInt64
        /// The time at which data was last read or timeouts were last handled.
        var lastActivity: BootTime
        var hasRead = false
        /// The error that ended the connection, or nil while the connection is open.
        var failure: DeviceError?

        init(
            _ socket: consuming Socket, _ reader: LineReader, _ decoder: any ReportDecoder, demand: UInt64,
            now: BootTime
        ) {
            self.socket = socket
            (self.reader, self.decoder, self.demand) = (reader, decoder, demand)
            lastActivity = now
        }
    }

    /// The maximum number of lines that an executor reads before the app's callbacks run. It is less than a manager's
    /// queue limit of 1024.
    private static let maximumLinesBeforeCallbacks = 400
    private let settings: GPSDSettings
    private let hub: PositionHub
    private let count: @Sendable (GPSDStatistics) -> Void
    private let content: ExclusiveValue<Content>
    // Atomic, so that other threads can access these values without waiting while one thread uses `content`.
    private let isClosed = Atomic<Bool>(false)
    private let hasReadValidLine = Atomic<Bool>(false)
    private let watchdogDeadline = Atomic<Int64>(BootTime.zero.nanoseconds)
    /// The socket's descriptor, which `content` keeps open.
    let descriptor: Int32

    init(
        _ settings: GPSDSettings, socket: consuming sending Socket, decoder: sending any ReportDecoder,
        hub: PositionHub,
        count: @escaping @Sendable (GPSDStatistics) -> Void
    ) {
        (self.settings, self.hub, self.count) = (settings, hub, count)
        descriptor = socket.descriptor
        let now = settings.clock.now
        let watchdog = Watchdog(timing: settings.timing, now: now)
        watchdogDeadline.store(watchdog.deadline.nanoseconds, ordering: .relaxed)
        var reader = LineReader(
            hub: hub, watchdog: watchdog, rolloverClock: settings.repairsWeekRollover ? settings.clock : nil,
            unreadableLines: settings.unreadableLines)
        count(reader.drainCounts())
        content = ExclusiveValue(Content(socket, reader, decoder, demand: hub.demand, now: now))
    }

    func requestReports() throws(DeviceError) {
        let number = content.useWhenFree { $0.socket.send(GPSDRequest.watch(enabled: true)) }
        if let number { throw settings.connectionEndedError(call: "send", errno: number) }
    }

    var hasReceivedValidLine: Bool { hasReadValidLine.load(ordering: .acquiring) }
    var deadline: BootTime { min(hub.nextDeadline, BootTime(nanoseconds: watchdogDeadline.load(ordering: .acquiring))) }

    func close() { isClosed.store(true, ordering: .releasing) }

    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome {
        let outcome = try content.use { content throws(DeviceError) in
            if let failure = content.failure { throw failure }
            guard !isClosed.load(ordering: .acquiring) else { return ReadOutcome.drained }
            do throws(DeviceError) {
                return try read(&content, cause, now: settings.clock.now)
            } catch {
                content.failure = error
                throw error
            }
        }
        return outcome ?? .contended
    }

    private func read(_ content: inout Content, _ cause: ReadCause, now: BootTime) throws(DeviceError) -> ReadOutcome {
        let (isReadable, isOnExecutor, pause) = conditions(of: cause, content.lastActivity, content.reader, now: now)
        let demand = hub.demand
        if demand != content.demand {
            content.demand = demand
            content.reader.watchdog.restart(now: now)
        }
        var isEmpty = true
        if isReadable {
            content.reader.begin(
                pause: content.hasRead ? pause : 0, limit: settings.timing.suspensionThreshold, now: now)
            content.hasRead = true
            // This block runs even if the connection has ended, because the lines received before then are valid.
            defer {
                content.reader.finish()
                count(content.reader.drainCounts())
                content.reader.recordOverlongLines(content.framer.discardedLines)
                if content.reader.watchdog.hasReceivedValidLine { hasReadValidLine.store(true, ordering: .releasing) }
            }
            isEmpty = try readLines(
                content.socket, &content.framer, &content.reader, &content.decoder, untilEmpty: isOnExecutor)
        }
        // After the process has been suspended, a call that only handles timeouts must leave `lastActivity` unchanged.
        // Otherwise, the next read would not detect the suspension.
        if isReadable || pause < settings.timing.suspensionThreshold { content.lastActivity = now }
        if hub.nextDeadline <= now { hub.deliverDueReports(now: now) }
        defer { watchdogDeadline.store(content.reader.watchdog.deadline.nanoseconds, ordering: .releasing) }
        switch content.reader.watchdog.check(now: now) {
        case .none: break
        case .probe:
            if let number = content.socket.send(GPSDRequest.version) {
                throw settings.connectionEndedError(call: "send", errno: number)
            }
        case .reportSilence: hub.setStatus(.unavailable(settings.silenceError()))
        case .closeConnection:
            throw settings.noReplyError(hasReceivedValidLine: content.reader.watchdog.hasReceivedValidLine)
        }
        return isEmpty ? .drained : .moreAvailable
    }

    /// `pause` is how long the process may have been suspended, in seconds. An executor may delay its read until
    /// `dueTime`, so the time before `dueTime` does not count as a pause.
    private func conditions(
        of cause: ReadCause, _ lastActivity: BootTime, _ reader: LineReader, now: BootTime
    ) -> (isReadable: Bool, isOnExecutor: Bool, pause: Double) {
        switch cause {
        case .thread(let isReadable):
            // Before reporting a timeout, checks whether the socket contains unread lines.
            let isUnread = !isReadable && reader.watchdog.deadline <= now && Sockets.isReadable(descriptor)
            return (isReadable || isUnread, false, now.seconds(since: lastActivity))
        case .overdue(let dueTime):
            return (true, false, now.seconds(since: max(lastActivity, min(dueTime, now))))
        case .executor(let dueTime):
            return (true, true, now.seconds(since: max(lastActivity, min(dueTime, now))))
        }
    }

    /// Reads lines from the socket. Returns false if more lines may be available. If `untilEmpty` is false, stops at
    /// the first read that does not fill the buffer, which saves a system call. If it is true, reads until the socket
    /// is empty, as executors require.
    private func readLines(
        _ socket: borrowing Socket, _ framer: inout LineFramer, _ reader: inout LineReader,
        _ decoder: inout any ReportDecoder, untilEmpty: Bool
    ) throws(DeviceError) -> Bool {
        var lines = 0
        // The number of reads is limited because gpsd may send lines faster than this thread reads them.
        for _ in 0..<(reader.isCatchingUp ? 4096 : 256) {
            var result = Socket.ReadResult.nothing
            var space = 0
            _ = framer.read { buffer in
                space = buffer.count
                result = socket.read(into: buffer)
                if case .bytes(let count) = result { return count }
                return 0
            }
            switch result {
            case .bytes(let count):
                hub.withBatch {
                    while framer.nextLine({ reader.process($0, decoder: &decoder) }) { lines += 1 }
                }
                // Reads all accumulated reports before delivering any, because only the newest ones are kept.
                if reader.isCatchingUp { continue }
                if untilEmpty, lines >= Self.maximumLinesBeforeCallbacks { return false }
                if count < space, !untilEmpty { return true }
            case .nothing: return true
            case .ended: throw settings.connectionEndedError(errno: nil)
            case .failed(let number): throw settings.connectionEndedError(errno: number)
            }
        }
        return false
    }
}
