// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// A scheduled handler call that can be cancelled until it runs. The call reports an error or a query result.
final class PendingCall: Sendable {
    private struct Call: @unchecked Sendable {
        // Called only on the executor that the app has chosen.
        let body: () -> Void
    }

    private let call: Mutex<Call?>

    init(device: Device, executor: any CallbackExecutor, _ body: @escaping () -> Void) {
        call = Mutex(Call(body: body))
        executor.schedule { [self] in
            if let call = takeCall() { device.withCurrent(call.body) }
        }
    }

    convenience init(device: Device, queue: OperationQueue, _ body: @escaping () -> Void) {
        self.init(device: device, executor: ExecutorSelection.executor(for: queue, device: device), body)
    }

    func cancel() { withExtendedLifetime(takeCall()) {} }

    private func takeCall() -> Call? { call.withLock { $0.take() } }
}

/// Holds the scheduled handler call that reports why updates could not be started. Setting a new call cancels the
/// previous one. Releasing the slot cancels the current call.
final class PendingCallSlot: Sendable {
    private let call = Mutex<PendingCall?>(nil)

    deinit { set(nil) }

    func set(_ new: PendingCall?) {
        let former = call.withLock { exchange(&$0, with: new) }
        former?.cancel()
    }
}
