// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

/// The callbacks of a played trace, in one global order.
///
/// Managers append callbacks, and the player runs them between readings. If the player runs on the main thread,
/// callbacks for the main thread run directly. Otherwise, each sequence of consecutive main-thread callbacks runs in
/// one synchronous call on the main queue.
final class CallbackQueue: PlaybackExecutorProvider {
    private struct Item {
        let isForMainThread: Bool
        let work: @Sendable () -> Void
    }

    private let items = Mutex<(waiting: [Item], isClosed: Bool)>(([], false))
    /// The callbacks being run. The array is kept so that its memory is reused. Accessed only by the thread that has
    /// claimed the player.
    @exclusivity(unchecked) nonisolated(unsafe) private var running: [Item] = []
    /// The number of waiting callbacks. The counter is atomic, so that the player can check it after every reading
    /// without taking the lock.
    private let count = Atomic<Int>(0)
    private let outstanding = PendingCallbackCounter()
    let usesLiveExecutors: Bool
    /// The simulated device. Set when it is created, before any other thread can use the queue.
    nonisolated(unsafe) weak var owner: SimulatedDevice?
    let consumerGate = ConsumerGate()

    init(deliversAsLive: Bool) { self.usesLiveExecutors = deliversAsLive }

    func executor(onMainThread: Bool) -> any CallbackExecutor {
        QueueExecutor(queue: self, isForMainThread: onMainThread)
    }

    func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor {
        CountingExecutor(executor, outstanding: outstanding)
    }

    /// Runs callbacks, including those that are added in the meantime, until none are waiting. Returns false if no
    /// callback has run since the last call.
    @discardableResult
    func run(isOnMainThread: Bool) -> Bool {
        var hasRun = usesLiveExecutors
        while count.load(ordering: .acquiring) > 0 {
            items.withLock { items in
                count.store(0, ordering: .releasing)
                swap(&running, &items.waiting)
            }
            hasRun = true
            if running.count == 1, isOnMainThread || !running[0].isForMainThread {
                // There is usually only one callback. Removing one element is cheaper than clearing the array.
                running.removeLast().work()
            } else {
                runBatch(isOnMainThread: isOnMainThread)
                running.removeAll(keepingCapacity: true)
            }
        }
        return hasRun
    }

    /// Stops accepting callbacks and drops all waiting callbacks, because they retain this queue.
    func close() {
        let waiting = items.withLock { items in
            items.isClosed = true
            count.store(0, ordering: .releasing)
            return exchange(&items.waiting, with: [])
        }
        // The callbacks are released without holding the lock, because releasing them may schedule others.
        withExtendedLifetime(waiting) {}
    }

    private func runBatch(isOnMainThread: Bool) {
        var start = 0
        while start < running.count {
            let isForMainThread = running[start].isForMainThread
            var end = start + 1
            while end < running.count, running[end].isForMainThread == isForMainThread { end += 1 }
            if isForMainThread, !isOnMainThread {
                let batch = running[start..<end]
                DispatchQueue.main.sync { for item in batch { item.work() } }
            } else {
                for index in start..<end { running[index].work() }
            }
            start = end
        }
    }

    /// Waits until every callback on a live executor has run and every consumer of an async sequence has requested its
    /// next element.
    func waitUntilIdle() async {
        await outstanding.waitUntilDone()
        await consumerGate.waitUntilIdle()
    }

    var isIdle: Bool { outstanding.isDone && consumerGate.isIdle }

    /// An executor that appends the callbacks of one manager to the queue.
    private final class QueueExecutor: CallbackExecutor {
        private let queue: CallbackQueue
        private let isForMainThread: Bool

        init(queue: CallbackQueue, isForMainThread: Bool) {
            (self.queue, self.isForMainThread) = (queue, isForMainThread)
        }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            queue.items.withLock { items in
                guard !items.isClosed else { return }
                items.waiting.append(Item(isForMainThread: isForMainThread, work: work))
                queue.count.store(items.waiting.count, ordering: .releasing)
            }
        }
    }
}

/// Counts the callbacks that have been scheduled on a queue or run loop but have not run yet.
final class PendingCallbackCounter: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isDone: Bool { state.withLock { $0.count == 0 } }

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.resume() }
    }

    func waitUntilDone() async {
        if isDone { return }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count == 0 { return true }
                state.waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}

/// An executor that runs callbacks as on live hardware and counts those that are pending.
final class CountingExecutor: CallbackExecutor {
    private let executor: any CallbackExecutor
    private let outstanding: PendingCallbackCounter

    init(_ executor: any CallbackExecutor, outstanding: PendingCallbackCounter) {
        (self.executor, self.outstanding) = (executor, outstanding)
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        outstanding.begin()
        executor.schedule { [outstanding] in
            work()
            outstanding.end()
        }
    }
}
