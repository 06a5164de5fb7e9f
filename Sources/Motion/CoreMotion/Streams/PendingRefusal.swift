// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// Tells a handler, in its own place, that what it was started for is not there, unless it is stopped before.
final class PendingRefusal: Sendable {
    private struct Call: @unchecked Sendable {
        // Only called where the program asked for it.
        let body: () -> Void
    }

    private let call: Mutex<Call?>

    init(device: Device, delivery: any Delivery, _ body: @escaping () -> Void) {
        call = Mutex(Call(body: body))
        delivery.schedule { [self] in
            if let call = take() { device.bind(call.body) }
        }
    }

    /// Takes it back.
    func withdraw() { withExtendedLifetime(take()) {} }

    private func take() -> Call? { call.withLock { $0.take() } }
}

/// Holds the refusal of the last start; another one, or none, takes it back. So does the end of the slot.
final class RefusalSlot: Sendable {
    private let refusal = Mutex<PendingRefusal?>(nil)

    deinit { set(nil) }

    func set(_ new: PendingRefusal?) {
        let former = refusal.withLock { exchange(&$0, with: new) }
        former?.withdraw()
    }
}
