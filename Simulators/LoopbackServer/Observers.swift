// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Those who wait until something is so that other threads bring about.
package final class Observers: Sendable {
    private let bells = Mutex<[Bell]>([])

    package init() {}

    /// Has those that wait look again.
    package func tell() { for bell in bells.withLock({ $0 }) { bell.ring() } }

    /// Waits until the condition holds; false when it does not in time. Blocks the thread.
    package func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        let bell = Bell()
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: seconds)
        bells.withLock { $0.append(bell) }
        defer { bells.withLock { bells in bells.removeAll { $0 === bell } } }
        while !condition() {
            guard clock.now < deadline else { return false }
            bell.wait(until: deadline, clock: clock)
        }
        return true
    }
}
