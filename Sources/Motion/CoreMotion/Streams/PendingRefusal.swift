// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// A single call of a handler, scheduled on the app's callback executor, that can be cancelled until it runs. It
/// reports that updates cannot be started, or returns the result of a query.
final class PendingRefusal: Sendable {
    private struct Call: @unchecked Sendable {
        // Called only on the executor that the app has chosen.
        let body: () -> Void
    }

    private let call: Mutex<Call?>

    init(device: Device, delivery: any Delivery, _ body: @escaping () -> Void) {
        call = Mutex(Call(body: body))
        delivery.schedule { [self] in
            if let call = take() { device.bind(call.body) }
        }
    }

    /// Cancels the call.
    func withdraw() { withExtendedLifetime(take()) {} }

    private func take() -> Call? { call.withLock { $0.take() } }
}

/// The pending error of the last start. Setting a new one or nil, or releasing the slot, cancels the previous one.
final class RefusalSlot: Sendable {
    private let refusal = Mutex<PendingRefusal?>(nil)

    deinit { set(nil) }

    func set(_ new: PendingRefusal?) {
        let former = refusal.withLock { exchange(&$0, with: new) }
        former?.withdraw()
    }
}
