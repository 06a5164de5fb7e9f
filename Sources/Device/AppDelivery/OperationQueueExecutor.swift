// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// An executor on an operation queue. Each work item is an operation.
final class OperationQueueExecutor: CallbackExecutor {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.addOperation(UncancellableOperation(work)) }

    /// An operation that ignores cancellation: its scheduler waits for it before it schedules the next one, and checks
    /// itself whether the updates have been stopped.
    private final class UncancellableOperation: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func main() { work() }

        override func cancel() {}
    }
}

/// An executor on the main queue, as seen by both Dispatch and Foundation.
///
/// Work is scheduled on the main dispatch queue, which takes half the time of an operation. On the main thread,
/// `OperationQueue.current` is then also the main operation queue. After `dispatchMain()` and in an async `main`, the
/// main queue runs on other threads, where Foundation does not recognize it; there the work becomes an operation.
/// Otherwise, posting a notification from that work would deadlock if an observer uses the main operation queue:
/// Foundation waits for an operation of that queue, which is busy with the posting work.
final class MainQueueExecutor: PollingExecutor {
    static let shared = MainQueueExecutor()

    /// The thread on which the main queue's work was last seen to run.
    private enum QueueThread: UInt8, AtomicRepresentable {
        case unknown, mainThread
        /// Final: a main thread that has given up its queue never runs it again.
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

    /// The main run loop polls the descriptor once it is known to serve the main queue.
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
