// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

/// A printer of events in order on a queue of its own, so that callers never wait for the reader.
final class EventPrinter: Sendable {
    /// The maximum number of bytes that wait for the reader. Further lines are dropped and counted.
    static let limit = 1 << 20

    private struct State {
        var pendingByteCount = 0
        var droppedCount = 0
        var printed = 0
        /// True if the reader has closed the pipe.
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "sensorctl.events")
    private let state = Mutex(State())
    private let droppedCount: @Sendable (Int) -> Bool

    /// - Parameter missed: Prints the number of dropped lines. Returns false if the reader has closed the pipe. Called
    ///   on the printer's queue.
    init(missed: @escaping @Sendable (Int) -> Bool) { self.droppedCount = missed }

    /// Prints a line of about `size` bytes after all previous ones. Drops it if too many bytes are waiting. `body` is
    /// called on the printer's queue and returns false if the reader has closed the pipe.
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
        guard gap > 0, !state.withLock({ $0.isClosed }), !droppedCount(gap) else { return }
        state.withLock { $0.isClosed = true }
    }

    /// Waits until all lines have been printed, or until no line has been printed for 3 s.
    func finish() {
        let bell = BinarySemaphore()
        queue.async { [self] in
            reportDropped(
                state.withLock { state in
                    defer { state.droppedCount = 0 }
                    return state.droppedCount
                })
            bell.signal()
        }
        var former = state.withLock { $0.printed }
        while !bell.wait(seconds: 3) {
            let printed = state.withLock { $0.printed }
            guard printed != former else { return }
            former = printed
        }
    }
}
