// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Dispatch
public import Foundation

extension AppDelivery {
    /// The delivery of handlers that were asked for on that operation queue.
    ///
    /// Live, handlers run on the queue and keep to its suspension and its limit of operations. While a trace is played
    /// the player runs them itself, those of `OperationQueue.main` as those of the main thread, unless it was asked to
    /// deliver as on live hardware.
    public static func on(_ queue: OperationQueue, device: Device) -> any Delivery {
        let isMain = queue === OperationQueue.main
        if let playback = device.playback, !playback.deliversAsLive {
            return playback.delivery(onMainThread: isMain)
        }
        // On Linux the main operation queue cannot be suspended, so that there is nothing to keep to.
        let delivery: any Delivery = isMain ? MainQueueDelivery.shared : OperationQueueDelivery(queue)
        return device.playback?.tracked(delivery) ?? delivery
    }
}
