// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Posts notifications on the main thread. The device owns this object, so the object holds only weak references.
final class NotificationPoster: Sendable {
    private struct Sender: @unchecked Sendable {
        // `@unchecked Sendable` because `object` and `device` are used only in callbacks.
        weak var object: UIDevice?
        weak var device: Device?
    }

    private let executor: any CallbackExecutor
    private let sender: Mutex<Sender>

    init(device: Device) {
        executor = ExecutorSelection.executor(for: OperationQueue.main, device: device)
        sender = Mutex(Sender(device: device))
    }

    func attach(_ object: UIDevice) { sender.withLock { $0.object = object } }

    /// The closure runs on the main thread and returns the names of the notifications to post.
    func schedule(_ names: @escaping @Sendable () -> [NSNotification.Name]) {
        executor.schedule { [self] in
            let (object, device) = sender.withLock { ($0.object, $0.device) }
            guard let object, let device else { return }
            device.withCurrent {
                for name in names() { NotificationCenter.default.post(name: name, object: object) }
            }
        }
    }
}
