// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Dispatch
import Foundation
import Logging

/// Chooses where a manager's callbacks run, from the place in which the manager is made.
///
/// - The main thread or the main queue: the main queue, which serves RunLoop.main.run(), dispatchMain() and an async main alike.
/// - A task, or a dispatch queue other than the main one: a private serial queue, since no run loop will ever run there.
/// - Any other thread: that thread's run loop, in the common modes.
///
/// While a trace is played the player runs callbacks itself, unless it was asked to deliver as on live hardware.
public enum AppDelivery {
    private static let log = Logger(label: "device-services.delivery")
    private static let explanation: Void = log.notice(
        "A manager was made in a task or on a dispatch queue, where no run loop runs: its callbacks come on a private serial queue. Make it on the main thread, or set delegateQueue, for another place."
    )

    /// The delivery of a manager that is being made here.
    public static func forCurrentPlace(device: Device) -> any Delivery {
        let isMain = Thread.isMainThread || MainThread.isCurrent
        if let playback = device.playback, !playback.deliversAsLive {
            return playback.delivery(onMainThread: isMain)
        }
        let delivery: any Delivery
        if isMain {
            delivery = MainQueueDelivery.shared
        } else if isOnThreadOfItsOwn {
            delivery = RunLoopDelivery()
        } else {
            _ = explanation
            delivery = QueueDelivery(DispatchQueue(label: "device-services.callbacks"))
        }
        return device.playback?.tracked(delivery) ?? delivery
    }

    /// The delivery of a manager whose callbacks were asked for on that queue.
    public static func on(_ queue: DispatchQueue, device: Device) -> any Delivery {
        // On Linux each look at DispatchQueue.main gives another object, and only the label tells the queue.
        let isMain = queue === DispatchQueue.main || queue.label == DispatchQueue.main.label
        if let playback = device.playback, !playback.deliversAsLive {
            return playback.delivery(onMainThread: isMain)
        }
        let delivery: any Delivery = isMain ? MainQueueDelivery.shared : QueueDelivery(queue)
        return device.playback?.tracked(delivery) ?? delivery
    }

    /// True on a thread that somebody made, false in a task and on the threads that Dispatch lends to its queues.
    private static var isOnThreadOfItsOwn: Bool {
        if withUnsafeCurrentTask(body: { $0 != nil }) { return false }
        // Foundation knows its own threads; a thread that was made through pthread shows no queue of its own.
        return Thread.current.isExecuting || !isOnDispatchQueue
    }
}
