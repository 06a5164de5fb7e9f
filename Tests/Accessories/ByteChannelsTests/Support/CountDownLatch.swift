// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Waits for several threads to finish.
final class Countdown: Sendable {
    private let rest: Atomic<Int>
    private let semaphore = BinarySemaphore()

    init(_ count: Int) {
        rest = Atomic(count)
    }

    func step() {
        if rest.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { semaphore.signal() }
    }

    /// Returns false after a minute.
    func wait() -> Bool { semaphore.wait(seconds: 60) }
}
