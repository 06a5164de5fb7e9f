// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Dispatch

/// Delivery on a dispatch queue.
public final class QueueDelivery: Delivery {
    private let queue: DispatchQueue

    /// Delivers on that queue, which should be serial: a concurrent one loses the order.
    public init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    /// Callbacks on the main queue. It serves RunLoop.main.run(), dispatchMain() and an async main alike.
    public static let main = QueueDelivery(.main)

    /// Runs the work on the queue.
    public func schedule(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
