// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Synchronization

/// The callbacks of a played trace, in one global order.
///
/// Managers put callbacks in; the player runs them between two readings. Those of managers on the main thread run in
/// place when the player is there too, else in one synchronous hop for each run of them.
final class CallbackQueue: PlaybackDelivery {
    private struct Item {
        let isForMainThread: Bool
        let work: @Sendable () -> Void
    }

    private let items = Mutex<(waiting: [Item], isClosed: Bool)>(([], false))
    /// What runs; its memory is used again. Touched only by who has claimed the player, one at a time.
    @exclusivity(unchecked) nonisolated(unsafe) private var running: [Item] = []
    /// How many wait; looked at after every reading, so kept where no lock is needed.
    private let count = Atomic<Int>(0)
    private let outstanding = OutstandingWork()
    let deliversAsLive: Bool
    let consumers = ConsumerGate()

    init(deliversAsLive: Bool) { self.deliversAsLive = deliversAsLive }

    func delivery(onMainThread: Bool) -> any Delivery { Lane(queue: self, isForMainThread: onMainThread) }

    func tracked(_ delivery: any Delivery) -> any Delivery { TrackedDelivery(delivery, outstanding: outstanding) }

    /// Runs what waits, and what that brings about, until nothing waits.
    func run(isOnMainThread: Bool) {
        while count.load(ordering: .acquiring) > 0 {
            items.withLock { items in
                count.store(0, ordering: .releasing)
                swap(&running, &items.waiting)
            }
            if running.count == 1, isOnMainThread || !running[0].isForMainThread {
                // As most often: taken out, which costs less than to empty a list.
                running.removeLast().work()
            } else {
                runBatch(isOnMainThread: isOnMainThread)
                running.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Drops what waits and takes nothing more: nobody can play any longer, and what waits holds on to this queue.
    func close() {
        let waiting = items.withLock { items in
            items.isClosed = true
            count.store(0, ordering: .releasing)
            defer { items.waiting = [] }
            return items.waiting
        }
        withExtendedLifetime(waiting) {}
    }

    private func runBatch(isOnMainThread: Bool) {
        var start = 0
        while start < running.count {
            let isForMainThread = running[start].isForMainThread
            var end = start + 1
            while end < running.count, running[end].isForMainThread == isForMainThread { end += 1 }
            if isForMainThread, !isOnMainThread {
                let lane = running[start..<end]
                DispatchQueue.main.sync { for item in lane { item.work() } }
            } else {
                for index in start..<end { running[index].work() }
            }
            start = end
        }
    }

    /// Returns when every callback that was delivered as live has run and every consumer has asked for more.
    func settle() async {
        await outstanding.waitUntilDone()
        await consumers.waitUntilIdle()
    }

    /// True when `settle` has nothing to wait for.
    var isSettled: Bool { outstanding.isDone && consumers.isIdle }

    /// The way of one manager's callbacks into the queue.
    private final class Lane: Delivery {
        private let queue: CallbackQueue
        private let isForMainThread: Bool

        init(queue: CallbackQueue, isForMainThread: Bool) {
            self.queue = queue
            self.isForMainThread = isForMainThread
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

/// Counts callbacks that are on their way to a queue or a run loop, so that playback can wait for them.
final class OutstandingWork: Sendable {
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
            defer { state.waiters = [] }
            return state.waiters
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

/// A live delivery whose work is counted.
final class TrackedDelivery: Delivery {
    private let delivery: any Delivery
    private let outstanding: OutstandingWork

    init(_ delivery: any Delivery, outstanding: OutstandingWork) {
        self.delivery = delivery
        self.outstanding = outstanding
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        outstanding.begin()
        delivery.schedule { [outstanding] in
            work()
            outstanding.end()
        }
    }
}
