// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// An executor that runs each work item as an operation on an operation queue.
final class OperationQueueExecutor: CallbackExecutor {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.addOperation(UncancellableOperation(work)) }

    /// An operation that ignores cancellation. The scheduler waits for each operation before scheduling the next one,
    /// and checks itself whether updates have been stopped.
    private final class UncancellableOperation: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func main() { work() }

        override func cancel() {}
    }
}

/// An executor for the main queue, as seen by both Dispatch and Foundation.
///
/// Work is scheduled on the main dispatch queue, which takes half the time of an operation. On the main thread,
/// `OperationQueue.current` is then also the main operation queue. After `dispatchMain()` and in an async `main`, the
/// main queue runs on other threads, where Foundation does not recognize it; on those threads, the work becomes an
/// operation. Otherwise, a notification posted by the work would cause a deadlock if an observer uses the main
/// operation queue: Foundation waits for an operation on that queue, which is still running the work.
final class MainQueueExecutor: PollingExecutor {
    static let shared = MainQueueExecutor()

    /// The thread on which work of the main queue was last observed to run.
    private enum QueueThread: UInt8, AtomicRepresentable {
        case unknown, mainThread
        /// A different thread. This case is final: once the main thread has given up its queue, it never runs the queue
        /// again.
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

    /// The main run loop polls the descriptor as soon as it is known to serve the main queue.
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
