// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter of the consumers of async sequences that are processing an element, so that playback can wait for them.
public final class ConsumerGate: Sendable {
    private struct State {
        var busyCount = 0
        var consumerCount = 0
        var waiters:
            [(isReady: @Sendable (_ busy: Int, _ present: Int) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a gate without consumers.
    public init() {}

    /// Records that a consumer has requested its first element.
    public func addConsumer() { change(present: 1) }

    /// Records that a consumer has ended.
    public func removeConsumer() { change(present: -1) }

    /// Records that a consumer has received an element.
    public func beginElement() { change(busy: 1) }

    /// Records that a consumer has requested its next element or has ended.
    public func endElement() { change(busy: -1) }

    /// True if no consumer is processing an element.
    public var isIdle: Bool { state.withLock { $0.busyCount == 0 } }

    /// True if there are no consumers.
    package var hasNoConsumers: Bool { state.withLock { $0.consumerCount == 0 } }

    /// Waits until no consumer is processing an element.
    public func waitUntilIdle() async {
        if isIdle { return }
        await wait { busy, _ in busy == 0 }
    }

    /// Waits until there are at least `count` consumers that have requested an element.
    public func waitForConsumers(_ count: Int) async { await wait { _, present in present >= count } }

    private func wait(_ isReady: @escaping @Sendable (_ busy: Int, _ present: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReadyNow = state.withLock { state in
                if isReady(state.busyCount, state.consumerCount) { return true }
                state.waiters.append((isReady, continuation))
                return false
            }
            if isReadyNow { continuation.resume() }
        }
    }

    @inline(never)  // One copy for all callers.
    private func change(busy: Int = 0, present: Int = 0) {
        let ready = state.withLock { state in
            state.busyCount += busy
            state.consumerCount += present
            var ready: [CheckedContinuation<Void, Never>] = []
            state.waiters.removeAll { waiter in
                guard waiter.isReady(state.busyCount, state.consumerCount) else { return false }
                ready.append(waiter.resume)
                return true
            }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}
