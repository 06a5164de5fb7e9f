// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Waits for several threads to finish.
final class CountDownLatch: Sendable {
    private let remaining: Atomic<Int>
    private let semaphore = BinarySemaphore()

    init(_ count: Int) {
        remaining = Atomic(count)
    }

    func step() {
        if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { semaphore.signal() }
    }

    /// Returns false after a minute.
    func wait() -> Bool { semaphore.wait(seconds: 60) }
}
