// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization
import SystemCalls

/// One connection to gpsd, and all that is read from it.
///
/// Whoever looks tells the hub.
final class GPSDLink: LentLink {
    private struct Content: ~Copyable {
        let socket: Socket
        var framer = LineFramer()
        var reader: LineReader
        var decoder: any ReportDecoder
        var attention: Attention
        var demand: UInt64
        /// Why nothing more will come.
        var failure: DeviceError?
        var isClosed = false

        init(
            _ socket: consuming Socket, _ reader: LineReader, _ decoder: any ReportDecoder, _ attention: Attention,
            demand: UInt64
        ) {
            self.socket = socket
            self.reader = reader
            self.decoder = decoder
            self.attention = attention
            self.demand = demand
        }
    }

    /// After so many lines a place reads no more in that look, though there may be more: the program is told of these first,
    /// and managers keep a thousand reports only.
    private static let mostBeforeTelling = 400
    private let settings: GPSDSettings
    private let hub: PositionHub
    private let count: @Sendable (GPSDStatistics) -> Void
    private let content: Mutex<Content>
    /// The socket's number, for who waits for it; the content keeps it open.
    let descriptor: Int32

    init(
        _ settings: GPSDSettings, socket: consuming sending Socket, decoder: sending any ReportDecoder,
        hub: PositionHub,
        count: @escaping @Sendable (GPSDStatistics) -> Void
    ) {
        self.settings = settings
        self.hub = hub
        self.count = count
        descriptor = socket.descriptor
        let now = settings.clock.now
        var reader = LineReader(
            hub: hub, watchdog: Watchdog(timing: settings.timing, now: now),
            rolloverClock: settings.repairsWeekRollover ? settings.clock : nil)
        count(reader.takeCounts())
        // What waits for the place is never as late as what a process finds that stood still.
        let attention = Attention(
            lateness: settings.timing.lateness, patience: settings.timing.standstill, now: now)
        content = Mutex(Content(socket, reader, decoder, attention, demand: hub.demand))
    }

    /// Asks for reports.
    func greet() throws(DeviceError) {
        try content.withLock { content throws(DeviceError) in
            if let number = content.socket.send(GPSDRequest.watch(enabled: true)) {
                throw settings.ended(errno: number)
            }
        }
    }

    /// True once gpsd has said something intelligible.
    var hasHeardService: Bool { content.withLock { $0.reader.watchdog.hasHeardService } }

    var deadline: BootTime { content.withLock { deadline($0.reader) } }

    var attentionEnd: BootTime { content.withLock { $0.attention.end } }

    var looks: UInt64 { content.withLock { $0.attention.looks } }

    func expectLook() -> Double {
        content.withLock { $0.attention.expectLook(now: settings.clock.now) }
    }

    /// Nothing is read any more.
    func close() { content.withLock { $0.isClosed = true } }

    // MARK: Looks

    func look(isReadable: Bool) throws(DeviceError) {
        try content.withLock { content throws(DeviceError) in
            defer { content.attention.isTakenBack() }
            // What is left is told by the next wait.
            _ = try look(&content, reads: isReadable ? .once : .nothing)
        }
    }

    func look(
        alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool
    ) throws(DeviceError) -> LentLook {
        try content.withLockIfAvailable { content throws(DeviceError) in
            guard isLent() else { return .over }
            let isEmpty = try look(&content, reads: .all)
            content.attention.isLent(alarm, now: settings.clock.now, deadline: deadline(content.reader))
            return isEmpty ? .all : .more
        } ?? .busy
    }

    func lookAfter() throws(DeviceError) {
        try content.withLock { content throws(DeviceError) in _ = try look(&content, reads: .nothing) }
    }

    private func deadline(_ reader: LineReader) -> BootTime { min(hub.nextDeadline, reader.watchdog.deadline) }

    private enum Reads {
        /// Only what is due is done.
        case nothing
        /// A read that does not fill the buffer has emptied the socket, which saves the call that would say so.
        case once
        /// Until the socket says that it is empty, or at its end: nobody may tell of that later.
        case all
    }

    private func look(_ content: inout Content, reads: Reads) throws(DeviceError) -> Bool {
        if let failure = content.failure { throw failure }
        guard !content.isClosed else { return true }
        do throws(DeviceError) {
            return try look(&content, reads: reads, now: settings.clock.now)
        } catch {
            content.failure = error
            throw error
        }
    }

    private func look(_ content: inout Content, reads: Reads, now: BootTime) throws(DeviceError) -> Bool {
        var isEmpty = true
        var reads = reads
        // Time is up, and there may be what nobody has looked at.
        if reads == .nothing, content.reader.watchdog.deadline <= now, Sockets.isReadable(descriptor) { reads = .once }
        let pause = content.attention.pause(now: now)
        let demand = hub.demand
        if demand != content.demand {
            content.demand = demand
            content.reader.watchdog.restart(now: now)
        }
        if reads != .nothing {
            content.reader.begin(pause: pause, limit: settings.timing.standstill, now: now)
            // What came before the end of a connection counts.
            defer {
                content.reader.finish()
                count(content.reader.takeCounts())
            }
            content.attention.noteLook(now: now)
            isEmpty = try read(
                content.socket, &content.framer, &content.reader, &content.decoder, all: reads == .all)
        }
        // Who looks after the others may be the first to come after a standstill, which whoever reads has to know of.
        if reads != .nothing || pause < settings.timing.standstill { content.attention.noteLife(now: now) }
        if hub.nextDeadline <= now { hub.handOverDue(now: now) }
        switch content.reader.watchdog.check(now: now) {
        case .none: break
        case .probe:
            if let number = content.socket.send(GPSDRequest.version) { throw settings.ended(errno: number) }
        case .declareSilent: hub.setStatus(.unavailable(settings.silent()))
        case .giveUp: throw settings.unanswered(hasHeardService: content.reader.watchdog.hasHeardService)
        }
        return isEmpty
    }

    /// Reads what is there; false when that may not be all. While catching up after a standstill the socket is read until
    /// it says itself that it is empty.
    private func read(
        _ socket: borrowing Socket, _ framer: inout LineFramer, _ reader: inout LineReader,
        _ decoder: inout any ReportDecoder, all: Bool
    ) throws(DeviceError) -> Bool {
        var lines = 0
        // A service that sends faster than it can be read must not keep the thread from its other duties.
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
                hub.together {
                    while framer.nextLine({ reader.take($0, decoder: &decoder) }) { lines += 1 }
                }
                if reader.isCatchingUp { continue }
                if all, lines >= Self.mostBeforeTelling { return false }
                if count < space, !all { return true }
            case .nothing: return true
            case .ended: throw settings.ended(errno: nil)
            case .failed(let number): throw settings.ended(errno: number)
            }
        }
        return false
    }
}
