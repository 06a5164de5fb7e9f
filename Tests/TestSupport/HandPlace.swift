// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// An executor that reads when the test calls it, on the test's thread.
package final class HandPlace: PollingExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var set: EpollSet?
    private var look: (@Sendable () -> Void)?
    private var ends = 0
    private var begins = 0

    package init() {}

    package func schedule(_ work: @escaping @Sendable () -> Void) {
        if !DeferredCallbacks.append(work, for: self) { work() }
    }

    package func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        change { (self.set, look, begins) = (set, read, begins + 1) }
        return Subscription { self.change { self.ends += 1 } }
    }

    private func change(_ body: () -> Void) {
        condition.lock()
        body()
        condition.broadcast()
        condition.unlock()
    }

    private func wait(seconds: Double, until isMet: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isMet() { guard condition.wait(until: limit) else { return isMet() } }
        return true
    }

    /// True once the executor was registered that often.
    package func waitForLoan(_ number: Int = 1, seconds: Double = 60) -> Bool {
        wait(seconds: seconds) { begins >= number }
    }

    /// True once a registration has ended.
    package func waitForEnd(seconds: Double = 60) -> Bool { wait(seconds: seconds) { ends >= 1 } }

    /// Reads once the descriptor is readable; false if it is not within a minute.
    package func lookWhenReadable() -> Bool {
        let (set, look) = condition.withLock { (self.set, self.look) }
        guard let set, let look else { return false }
        var state = pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 60_000) == 1 else { return false }
        run(look)
        return true
    }

    /// Reads, whether or not the descriptor is readable.
    package func lookNow() { if let look = condition.withLock({ look }) { run(look) } }

    private func run(_ look: () -> Void) { DeferredCallbacks(for: self).run(after: look) { callbacks in callbacks() } }
}
