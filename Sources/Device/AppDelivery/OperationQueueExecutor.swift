// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Dispatch
import Foundation
import Synchronization

final class OperationQueueExecutor: CallbackExecutor {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.addOperation(UncancellableOperation(work)) }

    /// Ignores cancellation, because the scheduler waits for each operation and itself detects stopped updates.
    private final class UncancellableOperation: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func main() { work() }
        override func cancel() {}
    }
}

/// An executor for the main queue, as seen by both Dispatch and Foundation.
///
/// Work runs on the main dispatch queue, which takes half the time of an operation. After `dispatchMain()` and in an
/// async `main`, that queue runs on other threads, where Foundation does not recognize it. Work then becomes an
/// operation on `OperationQueue.main`. Otherwise, a notification posted by the work would deadlock if an observer uses
/// the main operation queue, because Foundation waits for an operation on the queue that is still running the work.
final class MainQueueExecutor: PollingExecutor {
    static let shared = MainQueueExecutor()

    /// The thread on which the main queue's work was last observed to run.
    private enum QueueThread: UInt8, AtomicRepresentable {
        case unknown, mainThread
        /// A different thread. A main thread that has given up the main queue never runs the queue again.
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

    /// Polls the set on the main run loop once that run loop is known to serve the main queue.
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
