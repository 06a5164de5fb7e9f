// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

/// Prints what happens on a queue of its own and in order, so that nobody who has something to tell waits for a reader.
final class EventPrinter: Sendable {
    /// The most bytes that wait for a reader; what comes on top is counted.
    static let limit = 1 << 20

    private struct State {
        var waiting = 0
        var missed = 0
        var printed = 0
        /// Nobody reads any more.
        var isClosed = false
    }

    private let queue = DispatchQueue(label: "sensorctl.events")
    private let state = Mutex(State())
    private let missed: @Sendable (Int) -> Bool

    /// - Parameter missed: prints how many lines nobody took; called between the lines, with the same answer as theirs.
    init(missed: @escaping @Sendable (Int) -> Bool) { self.missed = missed }

    /// Prints after all that was handed over before.
    ///
    /// - Parameters:
    ///   - size: the bytes, roughly.
    ///   - body: false when nobody reads any more.
    func print(_ size: Int, _ body: @escaping @Sendable () -> Bool) {
        let gap = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            guard state.waiting + size <= Self.limit else {
                state.missed += 1
                return nil
            }
            state.waiting += size
            defer { state.missed = 0 }
            return state.missed
        }
        guard let gap else { return }
        queue.async { [self] in
            tell(gap)
            guard !state.withLock({ $0.isClosed }) else { return }
            let isRead = body()
            state.withLock { state in
                state.isClosed = !isRead
                state.waiting -= size
                state.printed += 1
            }
        }
    }

    private func tell(_ gap: Int) {
        guard gap > 0, !state.withLock({ $0.isClosed }), !missed(gap) else { return }
        state.withLock { $0.isClosed = true }
    }

    /// Waits for what was handed over, as long as somebody goes on to read.
    func finish() {
        let bell = Bell()
        queue.async { [self] in
            tell(
                state.withLock { state in
                    defer { state.missed = 0 }
                    return state.missed
                })
            bell.ring()
        }
        var former = state.withLock { $0.printed }
        while !bell.wait(seconds: 3) {
            let printed = state.withLock { $0.printed }
            guard printed != former else { return }
            former = printed
        }
    }
}
