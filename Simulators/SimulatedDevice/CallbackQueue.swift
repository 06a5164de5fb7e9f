// This source file is part of the swift-device-services project.
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

    private let items = Mutex<[Item]>([])
    private let outstanding = OutstandingWork()
    let deliversAsLive: Bool
    let consumers = ConsumerGate()

    init(deliversAsLive: Bool) {
        self.deliversAsLive = deliversAsLive
    }

    func delivery(onMainThread: Bool) -> any Delivery {
        Lane(queue: self, isForMainThread: onMainThread)
    }

    func tracked(_ delivery: any Delivery) -> any Delivery {
        TrackedDelivery(delivery, outstanding: outstanding)
    }

    /// Runs what waits, and what that brings about, until nothing waits.
    func run() {
        while true {
            let batch = items.withLock { items in
                guard !items.isEmpty else { return [] as [Item] }
                let batch = items
                items.removeAll(keepingCapacity: true)
                return batch
            }
            guard let first = batch.first else { return }
            if batch.count == 1 {
                run(batch[...], isForMainThread: first.isForMainThread)
                continue
            }
            var start = 0
            while start < batch.count {
                let isForMainThread = batch[start].isForMainThread
                var end = start + 1
                while end < batch.count, batch[end].isForMainThread == isForMainThread { end += 1 }
                run(batch[start..<end], isForMainThread: isForMainThread)
                start = end
            }
        }
    }

    /// Returns when every callback that was delivered as live has run and every consumer has asked for more.
    func settle() async {
        await outstanding.waitUntilDone()
        await consumers.waitUntilIdle()
    }

    /// True when `settle` has nothing to wait for.
    var isSettled: Bool { outstanding.isDone && consumers.isIdle }

    private func run(_ items: ArraySlice<Item>, isForMainThread: Bool) {
        if isForMainThread, !MainThread.isCurrent {
            DispatchQueue.main.sync {
                for item in items { item.work() }
            }
        } else {
            for item in items { item.work() }
        }
    }

    /// The way of one manager's callbacks into the queue.
    private final class Lane: Delivery {
        private let queue: CallbackQueue
        private let isForMainThread: Bool

        init(queue: CallbackQueue, isForMainThread: Bool) {
            self.queue = queue
            self.isForMainThread = isForMainThread
        }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            queue.items.withLock { $0.append(Item(isForMainThread: isForMainThread, work: work)) }
        }
    }
}
