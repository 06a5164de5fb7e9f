// This source file is part of the swift-device-services project.
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
    init(missed: @escaping @Sendable (Int) -> Bool) {
        self.missed = missed
    }

    /// Prints after all that was handed over before.
    ///
    /// - Parameters:
    ///   - size: the bytes, roughly.
    ///   - body: false when nobody reads any more.
    func print(_ size: Int, _ body: @escaping @Sendable () -> Bool) {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            guard state.waiting + size <= Self.limit else {
                state.missed += 1
                return false
            }
            state.waiting += size
            return true
        }
        guard isTaken else { return }
        queue.async { [self] in
            guard !state.withLock({ $0.isClosed }) else { return }
            let isRead = body()
            let count = state.withLock { state in
                state.isClosed = !isRead
                state.waiting -= size
                state.printed += 1
                // Behind the last line that was taken before some were not.
                guard isRead, state.waiting == 0 else { return 0 }
                defer { state.missed = 0 }
                return state.missed
            }
            if count > 0, !missed(count) { state.withLock { $0.isClosed = true } }
        }
    }

    /// Waits for what was handed over, as long as somebody goes on to read.
    func finish() {
        let bell = Bell()
        queue.async { bell.ring() }
        var former = -1
        while !bell.wait(seconds: 3) {
            let printed = state.withLock { $0.printed }
            guard printed != former else { return }
            former = printed
        }
    }
}
