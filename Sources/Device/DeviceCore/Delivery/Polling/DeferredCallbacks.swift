// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Collects the callbacks that are scheduled on a polling executor during a read, and runs them after the read. The
/// executor calls `run` for each read, and `append` when work is scheduled on it. Each instance is used by one thread.
package final class DeferredCallbacks {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static var current: DeferredCallbacks? {
        pthread_getspecific(key).map { Unmanaged<DeferredCallbacks>.fromOpaque($0).takeUnretainedValue() }
    }

    private let executor: any CallbackExecutor
    private var callbacks: [@Sendable () -> Void] = []

    package init(for executor: any CallbackExecutor) { self.executor = executor }

    /// If the current thread is reading on behalf of the executor, appends the callback and returns true. Otherwise,
    /// returns false.
    package static func append(_ callback: @escaping @Sendable () -> Void, for executor: any CallbackExecutor) -> Bool {
        guard let current, current.executor === executor else { return false }
        current.callbacks.append(callback)
        return true
    }

    /// Returns true if a subscriber with the given executor may be called on the current thread.
    ///
    /// While a thread reads on behalf of an executor, it may call only that executor's subscribers. A subscriber with a
    /// different executor may have joined during the read. Calling it could cause a deadlock, because it may be waiting
    /// for the executor that is reading. Status changes are an exception: they are delivered to all subscribers even
    /// during such a read, because they must not be lost. A subscriber that handles a status change must therefore not
    /// wait for another thread.
    package static func permits(_ executor: ExecutorIdentity?) -> Bool {
        current.map { $0.executor === executor?.executor } ?? true
    }

    /// Calls `read`. If callbacks were deferred during the read, calls `enter` with a closure that runs them. `enter`
    /// must call this closure on the executor and return only after the closure has returned, like
    /// `DispatchQueue.sync`.
    package func run(after read: () -> Void, enter: (() -> Void) -> Void) {
        // Saves the outer value, because reads can be nested: a subscriber that receives a status change during `read`
        // may run a run loop, in which this thread reads again.
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        read()
        pthread_setspecific(Self.key, outer)
        guard !callbacks.isEmpty else { return }
        // Moves the callbacks to a second array, because a callback may itself run a run loop, in which this thread
        // reads again and appends to `callbacks`.
        var due: [@Sendable () -> Void] = []
        swap(&due, &callbacks)
        enter { for callback in due { callback() } }
        // Keeps the array's memory for the next read.
        due.removeAll(keepingCapacity: true)
        if callbacks.isEmpty { swap(&due, &callbacks) }
    }
}
