// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Dispatch
import Foundation
import Synchronization

/// Delivery on an operation queue, an operation for each piece of work.
final class OperationQueueDelivery: Delivery {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) { self.queue = queue }

    func schedule(_ work: @escaping @Sendable () -> Void) { queue.addOperation(Turn(work)) }

    /// An operation that is not cancelled with the others of its queue: whoever scheduled it waits for it to run before
    /// the next, and finds out by itself what has been stopped.
    private final class Turn: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func main() { work() }

        override func cancel() {}
    }
}

/// Delivery on the main queue, as Dispatch and as Foundation see it.
///
/// Work goes to the main dispatch queue, which takes half of the time of an operation. On the main thread that makes
/// `OperationQueue.current` the main one too. After dispatchMain() and in an async main the main queue runs elsewhere, and
/// Foundation does not know it again; there the work becomes an operation. A notification that is posted there otherwise
/// never returns when an observer asked for the main operation queue: Foundation waits for an operation of that queue,
/// which is busy posting.
final class MainQueueDelivery: PollingExecutor {
    static let shared = MainQueueDelivery()

    /// Where the queue's work was seen to run.
    private enum Server: UInt8, AtomicRepresentable {
        case unknown, mainThread
        /// For good: a main thread that has given its queue up does not come back.
        case others
    }

    private let operations = OperationQueueDelivery(.main)
    private let server = Atomic<Server>(.unknown)

    func schedule(_ work: @escaping @Sendable () -> Void) {
        if DeferredCallbacks.append(work, for: self) { return }
        if server.load(ordering: .relaxed) == .others { return operations.schedule(work) }
        DispatchQueue.main.async {
            if Thread.isMainThread {
                self.server.store(.mainThread, ordering: .relaxed)
                work()
            } else {
                self.server.store(.others, ordering: .relaxed)
                self.operations.schedule(work)
            }
        }
    }

    /// The main run loop polls the descriptor once it is known to serve the main queue.
    func register(
        _ set: WaitSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        switch server.load(ordering: .relaxed) {
        case .others: return nil
        case .unknown:
            schedule(onReady)
            return nil
        case .mainThread:
            guard let loop = CFRunLoopGetMain() else { return nil }
            return RunLoopWait.start(loop: loop, mode: kCFRunLoopCommonModes, set: set, executor: self, read: read)
        }
    }
}
