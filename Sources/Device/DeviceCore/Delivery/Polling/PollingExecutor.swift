// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// An executor that can poll descriptors and run callbacks, so that a reading wakes only one thread.
package protocol PollingExecutor: CallbackExecutor {
    /// Calls `read` on the executor whenever the set becomes readable, until the subscription is cancelled.
    ///
    /// `read` must read all available data or call `EpollSet.rearm`, because a run loop reports only changes of
    /// readiness. Callbacks that `read` schedules on this executor run immediately after `read` returns. `read` may be
    /// called once more while the subscription is being cancelled.
    ///
    /// - Parameter onReady: Called at most once, on any thread, if this function returned nil and polling may now be
    ///   possible.
    /// - Returns: The subscription, or nil if the executor cannot poll or cannot poll yet.
    func register(_ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void)
        throws(DeviceError) -> Subscription?
}

/// Identifies the polling executor in a request. Two values are equal if they refer to the same executor.
package struct ExecutorIdentity: Sendable, Hashable {
    package let executor: any PollingExecutor

    package init?(_ executor: (any CallbackExecutor)?) {
        guard let executor = executor as? any PollingExecutor else { return nil }
        self.executor = executor
    }

    package static func == (left: ExecutorIdentity, right: ExecutorIdentity) -> Bool {
        left.executor === right.executor
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(executor)) }
}

final class Flag: Sendable { let value = Atomic<Bool>(false) }

/// Collects the callbacks that are scheduled on an executor during a read, and runs the callbacks after the read.
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

    /// Returns false without appending the callback unless the current thread is reading for the executor.
    package static func append(_ callback: @escaping @Sendable () -> Void, for executor: any CallbackExecutor) -> Bool {
        guard let current, current.executor === executor else { return false }
        current.callbacks.append(callback)
        return true
    }

    /// Returns false if the current thread is reading for a different executor. A subscriber with a different executor
    /// may join while this executor polls. Calling that subscriber on the polling thread could cause a deadlock,
    /// because the subscriber may be waiting for the polling executor.
    package static func permits(_ executor: ExecutorIdentity?) -> Bool {
        current.map { $0.executor === executor?.executor } ?? true
    }

    /// Calls `read`. If callbacks were deferred, then calls `enter` with a closure that runs them.
    package func run(after read: () -> Void, enter: (() -> Void) -> Void) {
        // Calls can be nested: a callback may run a run loop, in which this thread reads again.
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

/// A source whose descriptor is read either by the source's own thread or by the subscribers' executor.
package protocol PollableSource: AnyObject, Sendable {
    /// The descriptor to poll, which is readable while readings are available.
    var descriptor: Int32 { get }

    /// The time of the source's next timeout. Safe to read on any thread.
    var deadline: BootTime { get }

    /// Reads the available readings and handles expired timeouts. After an error, all later calls throw the same error.
    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome
}

package enum ReadCause: Sendable {
    /// The source's thread has finished waiting. If `isReadable` is false, only timeouts may have expired.
    case thread(isReadable: Bool)
    /// The source's thread reads because the executor did not read by the given time.
    case overdue(since: BootTime)
    /// The executor reads because the descriptor is readable. `dueTime` is the time by which the read was expected.
    case executor(dueTime: BootTime)
}

package enum ReadOutcome: Sendable {
    /// No more readings are available.
    case drained
    /// More readings may be available, so the executor must read again.
    case moreAvailable
    /// Another thread is reading the source, so nothing was read.
    case contended
    /// Only the source's thread can continue, so the executor must stop polling.
    case finished
}
