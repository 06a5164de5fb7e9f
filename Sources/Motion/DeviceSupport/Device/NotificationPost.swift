// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Posts the notifications of a device object on the main thread. It belongs to its device and so holds on to none.
final class NotificationPost: Sendable {
    private struct Sender: @unchecked Sendable {
        // Unchecked: only held here, and used in callbacks.
        weak var object: UIDevice?
        weak var device: Device?
    }

    private let delivery: any Delivery
    private let sender: Mutex<Sender>

    init(device: Device) {
        delivery = AppDelivery.on(OperationQueue.main, device: device)
        sender = Mutex(Sender(device: device))
    }

    func attach(_ object: UIDevice) { sender.withLock { $0.object = object } }

    /// Posts the notifications that the closure names when its turn has come.
    func schedule(_ names: @escaping @Sendable () -> [NSNotification.Name]) {
        delivery.schedule { [self] in
            let (object, device) = sender.withLock { ($0.object, $0.device) }
            guard let object, let device else { return }
            device.bind {
                for name in names() { NotificationCenter.default.post(name: name, object: object) }
            }
        }
    }
}
