// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Dispatch
package import Foundation
import Logging

/// Chooses where a manager's callbacks run, from the place in which the manager is made.
///
/// - The main thread or the main queue: the main queue, which serves RunLoop.main.run(), dispatchMain() and an async main alike.
/// - A task, or a dispatch queue other than the main one: a private serial queue, since no run loop will ever run there.
/// - Any other thread: that thread's run loop, in the common modes.
///
/// While a trace is played the player runs callbacks itself, unless it was asked to deliver as on live hardware.
package enum AppDelivery {
    private static let log = Logger(label: "device-services.delivery")
    private static let explanation: Void = log.notice(
        "A manager was made in a task or on a dispatch queue, where no run loop runs: its callbacks come on a private serial queue. Make it on the main thread, or set delegateQueue, for another place."
    )

    /// The delivery of a manager that is being made here.
    package static func forCurrentPlace(device: Device) -> any Delivery {
        chosen(isMain: Thread.isMainThread || MainThread.isCurrent, device) {
            // A source of its own, not `RunLoop.perform`: on Linux that never wakes a sleeping loop, and a source also
            // keeps the loop of a thread that has nothing else alive for as long as the manager lives, as on Apple.
            if isOnThreadOfItsOwn { return RunLoopSource(loop: .current, mode: .common) }
            _ = explanation
            return QueueDelivery(DispatchQueue(label: "device-services.callbacks"))
        }
    }

    /// The delivery of a manager whose callbacks were asked for on that queue.
    package static func on(_ queue: DispatchQueue, device: Device) -> any Delivery {
        // On Linux each look at DispatchQueue.main gives another object, and only the label tells the queue.
        let isMain = queue === DispatchQueue.main || queue.label == DispatchQueue.main.label
        return chosen(isMain: isMain, device) { QueueDelivery(queue) }
    }

    /// The delivery of handlers that were asked for on that operation queue.
    ///
    /// Live, handlers run on the queue and keep to its suspension and its limit of operations. While a trace is played
    /// the player runs them itself, those of `OperationQueue.main` as those of the main thread, unless it was asked to
    /// deliver as on live hardware.
    package static func on(_ queue: OperationQueue, device: Device) -> any Delivery {
        // On Linux the main operation queue cannot be suspended, so that there is nothing to keep to.
        chosen(isMain: queue === OperationQueue.main, device) { OperationQueueDelivery(queue) }
    }

    private static func chosen(isMain: Bool, _ device: Device, elsewhere: () -> any Delivery) -> any Delivery {
        if let playback = device.playback, !playback.deliversAsLive {
            return playback.delivery(onMainThread: isMain)
        }
        let delivery: any Delivery = isMain ? MainQueueDelivery.shared : elsewhere()
        return device.playback?.tracked(delivery) ?? delivery
    }

    /// True on a thread that somebody made, false in a task and on the threads that Dispatch lends to its queues.
    private static var isOnThreadOfItsOwn: Bool {
        if withUnsafeCurrentTask(body: { $0 != nil }) { return false }
        // Foundation knows its own threads; a thread that was made through pthread shows no queue of its own.
        return Thread.current.isExecuting || !isOnDispatchQueue
    }

    /// True on a thread that Dispatch lends to a queue.
    ///
    /// On any other thread Dispatch answers with its default root queue of the overcommit kind, to which Swift programs
    /// have no handle.
    private static var isOnDispatchQueue: Bool {
        guard let label = queueLabel(nil) else { return false }
        return String(cString: label) != "com.apple.root.default-qos.overcommit"
    }
}

/// Dispatch's C function; its Swift overlay leaves out the form that asks for the current queue.
@_silgen_name("dispatch_queue_get_label")
private func queueLabel(_ queue: OpaquePointer?) -> UnsafePointer<CChar>?
