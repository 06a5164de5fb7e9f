// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// An executor for the app's callbacks, such as a queue or a run loop.
public protocol CallbackExecutor: AnyObject, Sendable {
    /// Schedules the work on the executor, after all previously scheduled work. The work never runs inside this call.
    func schedule(_ work: @escaping @Sendable () -> Void)
}

/// Provides callback executors for playback. By default, the player runs the callbacks itself, in one global order.
package protocol PlaybackExecutorProvider: AnyObject, Sendable {
    var usesLiveExecutors: Bool { get }

    /// Returns the executor for a manager. `onMainThread` is true if the manager was created on the main thread.
    func executor(onMainThread: Bool) -> any CallbackExecutor

    /// Returns an executor that forwards work to the given live executor. Playback waits until the forwarded work has
    /// run.
    func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor

    /// Counts the consumers of async sequences. Playback waits until all consumers are idle.
    var consumerGate: ConsumerGate { get }
}

/// Determines, without using Foundation, whether the current code is running on the main queue. The main queue does not
/// always run on the main thread. After `dispatchMain()`, or in a program with an async `main` function, Dispatch runs
/// the main queue and the main actor on its own threads.
package enum MainQueueContext {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Counts the consumers of async sequences, and how many of them are busy with an element, so that playback can wait
/// for them.
package final class ConsumerGate: Sendable {
    private struct State {
        var busyCount = 0
        var consumerCount = 0
        var waiters:
            [(isReady: @Sendable (_ busy: Int, _ present: Int) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func addConsumer() { change(present: 1) }
    package func removeConsumer() { change(present: -1) }
    package func beginElement() { change(busy: 1) }
    package func endElement() { change(busy: -1) }
    package var isIdle: Bool { state.withLock { $0.busyCount == 0 } }
    package var hasNoConsumers: Bool { state.withLock { $0.consumerCount == 0 } }

    package func waitUntilIdle() async {
        if isIdle { return }
        await wait { busy, _ in busy == 0 }
    }

    package func waitForConsumers(_ count: Int) async { await wait { _, present in present >= count } }

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
