// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Synchronization
import SystemCalls

package final class QueueDelivery: CallbackExecutor {
    let queue: DispatchQueue
    let polling = Mutex(QueuePolling())

    /// Creates an executor. The queue should be serial, because a concurrent queue does not preserve the order of
    /// callbacks.
    package init(_ queue: DispatchQueue) { self.queue = queue }

    /// The executor of the main queue. It works with `RunLoop.main.run()`, `dispatchMain()` and an async `main`
    /// function.
    package static let main = QueueDelivery(.main)

    package func schedule(_ work: @escaping @Sendable () -> Void) {
        if !DeferredCallbacks.append(work, for: self) { queue.async(execute: work) }
    }
}

extension QueueDelivery: PollingExecutor {
    /// Starts a thread that polls the set, reads, and runs the callbacks on the queue.
    ///
    /// There is at most one polling thread per queue, so that threads do not accumulate while the queue is blocked.
    package func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> Subscription? {
        guard polling.withLock({ $0.begin(orCallLater: onReady) }) else { return nil }
        do throws(DeviceError) {
            return try startPolling(set, read: read)
        } catch {
            endPolling()
            throw error
        }
    }

    private func startPolling(_ set: EpollSet, read: @escaping @Sendable () -> Void) throws(DeviceError) -> Subscription
    {
        let wakeUp = try WakeupPipe(for: "the callbacks of a dispatch queue")
        let isCancelled = CancellationFlag()
        try WorkerThread.start(callsBack: true) { [self] in
            let callbacks = DeferredCallbacks(for: self)
            while !isCancelled.value.load(ordering: .acquiring) {
                guard wakeUp.wait(for: set.descriptor, events: Int16(POLLIN), milliseconds: -1) else { continue }
                // A synchronous call, because an asynchronous one would wake another thread.
                callbacks.run(after: read) { run in queue.sync(execute: run) }
            }
            endPolling()
        }
        return Subscription {
            isCancelled.value.store(true, ordering: .releasing)
            wakeUp.signal()
        }
    }

    private func endPolling() { for onReady in polling.withLock({ $0.end() }) { onReady() } }

    private final class CancellationFlag: Sendable { let value = Atomic<Bool>(false) }
}

/// The polling state of a queue: whether a thread polls for it, and the registrations that wait for that thread to end.
struct QueuePolling: Sendable {
    private var isActive = false
    private var waiting: [@Sendable () -> Void] = []

    /// Begins polling and returns true. If a thread is already polling, returns false and stores the closure until
    /// `end()`.
    mutating func begin(orCallLater onReady: @escaping @Sendable () -> Void) -> Bool {
        guard isActive else {
            isActive = true
            return true
        }
        waiting.append(onReady)
        return false
    }

    mutating func end() -> [@Sendable () -> Void] {
        isActive = false
        return exchange(&waiting, with: [])
    }
}
