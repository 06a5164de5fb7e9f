// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds the refusal of the last start; another one, or none, takes it back.
final class RefusalSlot: Sendable {
    private let refusal = Mutex<PendingRefusal?>(nil)

    func set(_ new: PendingRefusal?) {
        let former = refusal.withLock { refusal in
            defer { refusal = new }
            return refusal
        }
        former?.withdraw()
    }
}
