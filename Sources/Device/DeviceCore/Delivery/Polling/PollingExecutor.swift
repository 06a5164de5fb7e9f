// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// An executor of callbacks that also polls descriptors, so that no other thread has to be woken for a reading.
package protocol PollingExecutor: Delivery {
    /// Calls `read` on the executor whenever the set becomes readable, until the subscription ends.
    ///
    /// `read` has to read all that is available, or to call `WaitSet.tellAgain`: a run loop is called for changes only. The
    /// callbacks that it schedules on this executor run right after it. It may be called once more while the subscription
    /// ends.
    ///
    /// - Parameter onReady: Called once, on any thread, after nil was returned, when the executor may be able to poll.
    /// - Returns: nil if the executor cannot poll, or not yet.
    func register(
        _ set: WaitSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> Subscription?
}

/// A polling executor as a part of a request. Requests with the same executor are equal.
package struct DirectPlace: Sendable, Hashable {
    package let delivery: any PollingExecutor

    /// Returns nil if the executor does not poll.
    package init?(_ delivery: (any Delivery)?) {
        guard let delivery = delivery as? any PollingExecutor else { return nil }
        self.delivery = delivery
    }

    package static func == (left: DirectPlace, right: DirectPlace) -> Bool { left.delivery === right.delivery }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(delivery)) }
}

/// The callbacks that are scheduled on an executor while it reads a source. They run right after the read.
package final class DeferredCallbacks {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static var current: DeferredCallbacks? {
        pthread_getspecific(key).map { Unmanaged<DeferredCallbacks>.fromOpaque($0).takeUnretainedValue() }
    }

    private let executor: any Delivery
    private var callbacks: [@Sendable () -> Void] = []

    /// Creates an empty list of callbacks of the executor.
    package init(for executor: any Delivery) { self.executor = executor }

    /// Appends the callback if this thread is reading for the executor. Otherwise returns false, and the caller has to
    /// schedule it.
    package static func append(_ callback: @escaping @Sendable () -> Void, for executor: any Delivery) -> Bool {
        guard let current, current.executor === executor else { return false }
        current.callbacks.append(callback)
        return true
    }

    /// False if this thread is reading for another executor than that.
    ///
    /// A subscriber that joins while an executor polls must not be called there: it may wait for that executor.
    package static func permits(_ executor: DirectPlace?) -> Bool {
        guard let current else { return true }
        return current.executor === executor?.delivery
    }

    /// Reads, and then runs the callbacks inside of `enter`, which is not called if there are none.
    package func run(after read: () -> Void, enter: (() -> Void) -> Void) {
        // A callback may run a run loop, in which this thread reads again.
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        read()
        pthread_setspecific(Self.key, outer)
        guard !callbacks.isEmpty else { return }
        var due: [@Sendable () -> Void] = []
        swap(&due, &callbacks)
        enter { for callback in due { callback() } }
        due.removeAll(keepingCapacity: true)
        if callbacks.isEmpty { swap(&due, &callbacks) }
    }
}

extension QueueDelivery: PollingExecutor {
    /// Starts a thread that polls the set, reads, and enters the queue to run the callbacks.
    ///
    /// A queue has one such thread at a time, so that threads do not accumulate while the queue is blocked.
    package func register(
        _ set: WaitSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) throws(DeviceError) -> Subscription? {
        guard polling.withLock({ $0.begin(orCallLater: onReady) }) else { return nil }
        do throws(DeviceError) {
            return try startPolling(set, read: read)
        } catch {
            endPolling()
            throw error
        }
    }

    private func startPolling(_ set: WaitSet, read: @escaping @Sendable () -> Void) throws(DeviceError) -> Subscription
    {
        let wakeUp = try WakeUp(for: "the executor of a subscriber")
        let isCancelled = CancellationFlag()
        try WorkerThread.start(callsBack: true) { [self] in
            let callbacks = DeferredCallbacks(for: self)
            while !isCancelled.value.load(ordering: .acquiring) {
                guard wakeUp.wait(for: set.descriptor, events: Int16(POLLIN), milliseconds: -1) else { continue }
                // Not asynchronously, for which another thread would have to be woken.
                callbacks.run(after: read) { run in queue.sync(execute: run) }
            }
            endPolling()
        }
        return Subscription {
            isCancelled.value.store(true, ordering: .releasing)
            wakeUp.signal()
        }
    }

    private func endPolling() {
        for onReady in polling.withLock({ $0.end() }) { onReady() }
    }

    private final class CancellationFlag: Sendable {
        let value = Atomic<Bool>(false)
    }
}

/// Whether a thread polls for a queue, and the registrations that wait for its end.
struct QueuePolling: Sendable {
    private var isActive = false
    private var waiting: [@Sendable () -> Void] = []

    /// Begins polling. If a thread polls already, returns false and keeps the closure for `end()`.
    mutating func begin(orCallLater onReady: @escaping @Sendable () -> Void) -> Bool {
        guard isActive else {
            isActive = true
            return true
        }
        waiting.append(onReady)
        return false
    }

    /// Ends polling, and returns the closures to be called.
    mutating func end() -> [@Sendable () -> Void] {
        isActive = false
        return exchange(&waiting, with: [])
    }
}
