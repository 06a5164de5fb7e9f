// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Knows which consumers of async sequences are still working on an element, so that playback can wait for them.
public final class ConsumerGate: Sendable {
    private struct State {
        var busy = 0
        var present = 0
        var waiters:
            [(isReady: @Sendable (_ busy: Int, _ present: Int) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// A gate without consumers.
    public init() {}

    /// A consumer has asked for its first element.
    public func enter() { change(present: 1) }

    /// A consumer has gone.
    public func leave() { change(present: -1) }

    /// A consumer was handed an element.
    public func begin() { change(busy: 1) }

    /// A consumer has asked for the next one, or has gone.
    public func end() { change(busy: -1) }

    /// True when no consumer is working on an element.
    public var isIdle: Bool { state.withLock { $0.busy == 0 } }

    /// True when nobody consumes.
    package var isEmpty: Bool { state.withLock { $0.present == 0 } }

    /// Returns once no consumer is working on an element.
    public func waitUntilIdle() async {
        if isIdle { return }
        await wait { busy, _ in busy == 0 }
    }

    /// Returns once that many consumers have asked for an element.
    public func waitForConsumers(_ count: Int) async { await wait { _, present in present >= count } }

    private func wait(_ isReady: @escaping @Sendable (_ busy: Int, _ present: Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReadyNow = state.withLock { state in
                if isReady(state.busy, state.present) { return true }
                state.waiters.append((isReady, continuation))
                return false
            }
            if isReadyNow { continuation.resume() }
        }
    }

    @inline(never)  // one copy for all four
    private func change(busy: Int = 0, present: Int = 0) {
        let ready = state.withLock { state in
            state.busy += busy
            state.present += present
            var ready: [CheckedContinuation<Void, Never>] = []
            state.waiters.removeAll { waiter in
                guard waiter.isReady(state.busy, state.present) else { return false }
                ready.append(waiter.resume)
                return true
            }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}
