// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Collects the callbacks that are scheduled on a polling executor during a read, and runs them after the read. The
/// executor calls `run` for each read, and `append` when work is scheduled on it.
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

    /// If the current thread is reading for the executor, appends the callback and returns true. Otherwise, returns
    /// false.
    package static func append(_ callback: @escaping @Sendable () -> Void, for executor: any CallbackExecutor) -> Bool {
        guard let current, current.executor === executor else { return false }
        current.callbacks.append(callback)
        return true
    }

    /// Returns true if a subscriber with the given executor may be called on the current thread.
    ///
    /// While a thread reads for an executor, it may call only subscribers with that executor. A subscriber with a
    /// different executor may have joined during the read. Calling that subscriber could cause a deadlock, because it
    /// may in turn be waiting for the executor that is reading. Status changes are exempt, because they must not be
    /// lost. For this reason, subscribers must not wait for another thread.
    package static func permits(_ executor: ExecutorIdentity?) -> Bool {
        current.map { $0.executor === executor?.executor } ?? true
    }

    /// Calls `read`. If callbacks were deferred during the read, then calls `enter` with a closure that runs them.
    /// `enter` must call this closure on the executor before it returns, for example with `DispatchQueue.sync`.
    package func run(after read: () -> Void, enter: (() -> Void) -> Void) {
        // Calls can be nested: a callback may run a run loop, in which this thread reads again.
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        read()
        pthread_setspecific(Self.key, outer)
        guard !callbacks.isEmpty else { return }
        // A nested read appends to `callbacks` while the current callbacks run.
        var due: [@Sendable () -> Void] = []
        swap(&due, &callbacks)
        enter { for callback in due { callback() } }
        // Keep the array's memory for the next read.
        due.removeAll(keepingCapacity: true)
        if callbacks.isEmpty { swap(&due, &callbacks) }
    }
}
