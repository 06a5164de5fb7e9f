// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import JSONBytes
import SensorTools
import Synchronization

/// Prints events in order on its own queue, so callers never wait for the output's reader.
final class EventPrinter: Sendable {
    /// The maximum number of queued bytes. While the queue is full, new lines are dropped and counted.
    static let limit = 1 << 20

    private struct State {
        var pendingByteCount = 0
        var droppedCount = 0
        var printed = 0
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "sensorctl.events")
    private let state = Mutex(State())
    private let printDroppedCount: @Sendable (Int) -> Bool

    /// - Parameter missed: A closure that prints the number of dropped lines and returns false on failure. Called on
    /// the printer's queue.
    init(missed: @escaping @Sendable (Int) -> Bool) { printDroppedCount = missed }

    /// Prints a line of about `size` bytes. If the queue is full, the line is dropped. `body` prints the line on the
    /// printer's queue and returns false on failure. Nothing more is printed after a failure.
    func print(_ size: Int, _ body: @escaping @Sendable () -> Bool) {
        let gap = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            guard state.pendingByteCount + size <= Self.limit else {
                state.droppedCount += 1
                return nil
            }
            state.pendingByteCount += size
            defer { state.droppedCount = 0 }
            return state.droppedCount
        }
        guard let gap else { return }
        queue.async { [self] in
            reportDropped(gap)
            guard !state.withLock({ $0.isClosed }) else { return }
            let isRead = body()
            state.withLock { state in
                state.isClosed = !isRead
                state.pendingByteCount -= size
                state.printed += 1
            }
        }
    }

    private func reportDropped(_ gap: Int) {
        guard gap > 0, !state.withLock({ $0.isClosed }), !printDroppedCount(gap) else { return }
        state.withLock { $0.isClosed = true }
    }

    /// Waits until all lines have been printed. Gives up if no line has been printed for 3 s.
    func finish() {
        let semaphore = BinarySemaphore()
        queue.async { [self] in
            reportDropped(
                state.withLock { state in
                    defer { state.droppedCount = 0 }
                    return state.droppedCount
                })
            semaphore.signal()
        }
        var former = state.withLock { $0.printed }
        while !semaphore.wait(seconds: 3) {
            let printed = state.withLock { $0.printed }
            guard printed != former else { return }
            former = printed
        }
    }
}

/// Prints a command's events as JSON lines or log messages. Callers never wait for the reader.
final class EventReporter: Sendable {
    let asJSON: Bool
    private let stop: StopRequest
    private let clock: any DeviceClock
    private let printer: EventPrinter

    /// - Parameter subject: The subject of the events, used in the message about dropped events.
    init(_ subject: String, asJSON: Bool, clock: any DeviceClock, stop: StopRequest) {
        (self.asJSON, self.clock, self.stop) = (asJSON, clock, stop)
        printer = EventPrinter { count in
            if asJSON { return Self.write(Self.line("missed", at: clock.wallTime, ["events": count]), until: stop) }
            Log.warning("\(count) messages about \(subject) were dropped, because standard error was not read in time.")
            return true
        }
    }

    func finish() { printer.finish() }

    func warn(_ text: String) {
        printer.print(text.utf8.count) {
            Log.warning(text)
            return true
        }
    }

    func report(_ event: String, _ message: String, _ members: JSONMembers = [:]) {
        guard asJSON else {
            return printer.print(message.utf8.count) {
                Log.notice(message)
                return true
            }
        }
        let line = Self.line(event, at: clock.wallTime, members)
        printer.print(line.count) { [stop] in Self.write(line, until: stop) }
    }

    private static func line(_ event: String, at time: WallTime, _ members: JSONMembers) -> [UInt8] {
        var writer = JSONWriter()
        writer.line { writer in
            writer.members(["event": event, "time": CivilDate(time).timestamp])
            writer.members(members)
        }
        return writer.bytes
    }

    /// Writes a line. Returns false on failure. A failure also ends the command unless the pipe was closed.
    private static func write(_ line: [UInt8], until stop: StopRequest) -> Bool {
        let outcome = Descriptor.standardOutput.write(line, until: stop)
        if case .failed(let number) = outcome { stop.request(.unwritable(errno: number)) }
        return outcome == .written
    }
}
