// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import Synchronization
import SystemCalls

/// An executor for a dispatch queue. While a source is registered, a separate thread polls the source's descriptor.
package final class DispatchQueueExecutor: PollingExecutor {
    private let queue: DispatchQueue
    /// The `onReady` closures to call when the polling thread exits, or nil if no polling thread is running.
    private let waiting = Mutex<[@Sendable () -> Void]?>(nil)

    /// Creates an executor. The queue should be serial, to preserve the order of callbacks.
    package init(_ queue: DispatchQueue) { self.queue = queue }

    /// The main queue's executor. Works with `RunLoop.main.run()`, `dispatchMain()` and an async `main`.
    package static let main = DispatchQueueExecutor(.main)

    package func schedule(_ work: @escaping @Sendable () -> Void) {
        if !DeferredCallbacks.append(work, for: self) { queue.async(execute: work) }
    }

    /// Starts a thread that polls the epoll set, calls `read`, and runs the resulting callbacks on the queue. Each
    /// executor has at most one such thread, so that threads do not accumulate while the queue is blocked.
    package func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> Subscription? {
        let isPolling = waiting.withLock { waiting in
            let isPolling = waiting != nil
            waiting = isPolling ? (waiting ?? []) + [onReady] : []
            return isPolling
        }
        if isPolling { return nil }
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
        let isCancelled = AtomicFlag()
        try WorkerThread.start(callsBack: true) { [self] in
            let callbacks = DeferredCallbacks(for: self)
            while !isCancelled.value.load(ordering: .acquiring) {
                guard wakeUp.wait(for: set.descriptor, events: Int16(POLLIN), milliseconds: -1) else { continue }
                // Dispatches synchronously, because asynchronous dispatch would wake another thread.
                callbacks.run(after: read) { run in queue.sync(execute: run) }
            }
            endPolling()
        }
        return Subscription {
            isCancelled.value.store(true, ordering: .releasing)
            wakeUp.signal()
        }
    }

    private func endPolling() { for onReady in waiting.withLock({ $0.take() }) ?? [] { onReady() } }
}
