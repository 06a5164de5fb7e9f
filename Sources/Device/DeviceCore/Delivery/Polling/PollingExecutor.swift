// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An executor that can both poll descriptors and run callbacks, so that new data wakes only one thread.
package protocol PollingExecutor: CallbackExecutor {
    /// Calls `read` on the executor whenever the set becomes readable, until the subscription is cancelled.
    ///
    /// `read` must read all available data or call `EpollSet.rearm`, because a run loop reports only changes of
    /// readiness. Callbacks that `read` schedules on this executor run immediately after `read` returns. `read` may be
    /// called once more while the subscription is being cancelled.
    ///
    /// - Parameter onReady: If this function returns nil, `onReady` may be called later to report that polling may have
    ///   become possible. It is called at most once, and may be called on any thread.
    /// - Returns: The subscription, or nil if the executor cannot poll or cannot poll yet.
    func register(_ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void)
        throws(DeviceError) -> Subscription?

    /// False if the executor can no longer poll, for example because the app's main run loop is no longer running.
    var canPoll: Bool { get }
}

extension PollingExecutor {
    package var canPoll: Bool { true }
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

/// A source whose descriptor is read by the source's own thread or by the executor that its subscribers share.
package protocol PollableSource: AnyObject, Sendable {
    /// The descriptor to poll, which never changes. It is readable while readings are available.
    var descriptor: Int32 { get }

    /// The time of the source's next timeout. Safe to read from any thread.
    var deadline: BootTime { get }

    /// Reads the available readings and handles expired timeouts. If two threads call this method at once, one of the
    /// calls returns `contended`. After an error, all later calls throw the same error.
    func readAvailable(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome
}

package enum ReadCause: Sendable {
    /// The source's thread has finished waiting. If `isReadable` is false, there is nothing to read, but timeouts may
    /// have expired.
    case thread(isReadable: Bool)
    /// The executor has missed its deadline, so the source's own thread reads in place of the executor. `since` is the
    /// deadline. See `ReadDeadlineMonitor`.
    case overdue(since: BootTime)
    /// The descriptor is readable, so the executor reads. `dueTime` is the executor's deadline for this read.
    case executor(dueTime: BootTime)
}

package enum ReadOutcome: Sendable {
    /// No more readings are available.
    case drained
    /// More readings may be available, so the same thread must read again.
    case moreAvailable
    /// Another thread is reading the source, so this call has read nothing.
    case contended
    /// Only the source's thread can continue, so the executor must stop polling.
    case finished
}

final class AtomicFlag: Sendable { let value = Atomic<Bool>(false) }
