// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// An executor that reads when the test calls it, on the test's thread.
package final class ManualPollingExecutor: PollingExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var set: EpollSet?
    private var read: (@Sendable () -> Void)?
    private var ends = 0
    private var begins = 0
    private var isDisabled = false

    package init() {}

    package var canPoll: Bool { condition.withLock { !isDisabled } }

    /// Makes the executor unable to poll.
    package func disable() { change { isDisabled = true } }

    package func schedule(_ work: @escaping @Sendable () -> Void) {
        if !DeferredCallbacks.append(work, for: self) { work() }
    }

    package func register(
        _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        change { (self.set, self.read, begins) = (set, read, begins + 1) }
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

    /// Waits for the given number of registrations. Returns false after the timeout.
    package func waitForRegistration(_ number: Int = 1, seconds: Double = 60) -> Bool {
        wait(seconds: seconds) { begins >= number }
    }

    /// Waits for the end of a registration. Returns false after the timeout.
    package func waitForEnd(seconds: Double = 60) -> Bool { wait(seconds: seconds) { ends >= 1 } }

    /// Waits until the descriptor is readable, and then reads. Returns false if it is not readable within a minute.
    package func pollWhenReadable() -> Bool {
        let (set, read) = condition.withLock { (self.set, self.read) }
        guard let set, let read else { return false }
        var state = pollfd(fd: set.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, 60_000) == 1 else { return false }
        run(read)
        return true
    }

    /// Reads, whether or not the descriptor is readable.
    package func pollNow() { if let read = condition.withLock({ read }) { run(read) } }

    private func run(_ read: () -> Void) { DeferredCallbacks(for: self).run(after: read) { callbacks in callbacks() } }
}
