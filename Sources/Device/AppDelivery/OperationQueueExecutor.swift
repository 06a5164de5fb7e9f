// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// An executor for an operation queue. The queue determines when the work runs, and on how many threads.
final class OperationQueueExecutor: CallbackExecutor {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.addOperation(UncancellableOperation(work)) }

    /// An operation that ignores cancellation, because clients rely on all scheduled work being run.
    private final class UncancellableOperation: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func main() { work() }
        override func cancel() {}
    }
}

/// An executor for the main queues of Dispatch and Foundation.
///
/// Work usually runs on the main dispatch queue, which is faster than an operation queue. However, in programs that
/// call `dispatchMain()` or have an async `main`, other threads run that queue, and Foundation does not recognize it as
/// the main queue. In these programs, work is added to `OperationQueue.main`, to prevent a deadlock if the work posts a
/// notification to an observer on the main operation queue.
final class MainQueueExecutor: PollingExecutor {
    static let shared = MainQueueExecutor()

    /// The thread that last ran the main queue's work.
    private enum QueueThread: UInt8, AtomicRepresentable {
        case unknown, mainThread
        /// A thread other than the main thread. This state is final: once another thread has run the main queue, the
        /// main thread never runs it again.
        case other
    }

    private let operations = OperationQueueExecutor(.main)
    private let queueThread = Atomic<QueueThread>(.unknown)

    func schedule(_ work: @escaping @Sendable () -> Void) {
        if DeferredCallbacks.append(work, for: self) { return }
        if queueThread.load(ordering: .relaxed) == .other { return operations.schedule(work) }
        DispatchQueue.main.async {
            if Thread.isMainThread {
                self.queueThread.store(.mainThread, ordering: .relaxed)
                work()
            } else {
                self.queueThread.store(.other, ordering: .relaxed)
                self.operations.schedule(work)
            }
        }
    }

    /// False if the app ran its main run loop first, and then called `dispatchMain()`.
    var canPoll: Bool { queueThread.load(ordering: .relaxed) != .other }

    /// Polls the set on the main run loop. Returns nil if another thread runs the main queue, or if it is not yet known
    /// which thread does.
    func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        switch queueThread.load(ordering: .relaxed) {
        case .other: return nil
        case .unknown:
            schedule(onReady)
            return nil
        case .mainThread:
            guard let loop = CFRunLoopGetMain() else { return nil }
            return RunLoopPoller.start(loop: loop, mode: kCFRunLoopCommonModes, set: set, executor: self, read: read)
        }
    }
}
