// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// The part of a manager that gives device motion. It only says that there is none.
final class DeviceMotionService: Sendable {
    private let device: Device
    private let storedInterval = Mutex<TimeInterval>(0.01)
    private let refusal = RefusalSlot()

    init(device: Device) {
        self.device = device
    }

    /// The interval as the program wrote it.
    var interval: TimeInterval {
        get { storedInterval.withLock { $0 } }
        set { storedInterval.withLock { $0 = newValue } }
    }

    /// Tells a handler that there is no device motion.
    func refuse(on delivery: any Delivery, _ tell: @escaping (any Error) -> Void) {
        refusal.set(
            PendingRefusal(device: device, delivery: delivery) {
                tell(CMErrorNotAvailable.error("Device motion is not available: nothing computes the attitude yet."))
            })
    }

    /// Takes back what has not been told.
    func stop() {
        refusal.set(nil)
    }
}
