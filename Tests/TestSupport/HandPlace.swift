// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// A place of delivery that looks at what is lent to it when the test says so, on the test's thread.
package final class HandPlace: DirectDelivery, @unchecked Sendable {
    private let condition = NSCondition()
    private var set: WaitSet?
    private var look: (@Sendable () -> Void)?
    private var ends = 0
    private var begins = 0

    package init() {}

    package func schedule(_ work: @escaping @Sendable () -> Void) { work() }

    package func wait(for set: WaitSet, look: @escaping @Sendable () -> Void) -> Subscription? {
        change { (self.set, self.look, begins) = (set, look, begins + 1) }
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

    /// True once that many loans have begun.
    package func waitForLoan(_ number: Int = 1, seconds: Double = 60) -> Bool {
        wait(seconds: seconds) { begins >= number }
    }

    /// True once a loan has ended.
    package func waitForEnd(seconds: Double = 60) -> Bool { wait(seconds: seconds) { ends >= 1 } }

    /// Looks once there is something to see; false when there is nothing for a minute.
    package func lookWhenReadable() -> Bool {
        let (set, look) = condition.withLock { (self.set, self.look) }
        guard let set, let look else { return false }
        var state = pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 60_000) == 1 else { return false }
        look()
        return true
    }

    /// Looks whatever there is to see.
    package func lookNow() { condition.withLock { look }?() }
}
