// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A value that another thread provides.
final class Promise<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = BinarySemaphore()

    func succeed(_ new: Value) {
        value.withLock { $0 = new }
        semaphore.signal()
    }

    /// Waits for the value. Returns nil after a minute.
    func wait() -> Value? {
        while true {
            if let value = value.withLock({ $0 }) { return value }
            guard semaphore.wait(seconds: 60) else { return nil }
        }
    }
}
