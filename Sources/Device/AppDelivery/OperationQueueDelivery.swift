// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Delivery on an operation queue, an operation for each piece of work.
final class OperationQueueDelivery: Delivery {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) {
        self.queue = queue
    }

    func schedule(_ work: @escaping @Sendable () -> Void) {
        queue.addOperation(Turn(work))
    }

    /// An operation that is not cancelled with the others of its queue: whoever scheduled it waits for it to run before
    /// the next, and finds out by itself what has been stopped.
    private final class Turn: Operation, @unchecked Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) {
            self.work = work
        }

        override func main() {
            work()
        }

        override func cancel() {}
    }
}
