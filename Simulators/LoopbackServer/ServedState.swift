// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Synchronization

/// What a server's thread and all others know of each other.
package protocol ServedContent: Sendable {
    /// True when the thread is to end.
    var isStopped: Bool { get set }

    init()
}

/// That content behind a lock, what wakes the thread, and those who wait until something is so that the thread brings about.
package final class ServedState<Content: ServedContent>: ServiceState {
    package let content = Mutex(Content())
    package let wakeUp: WakeUp
    private let bells = Mutex<[Bell]>([])

    /// - Parameter owner: who has the thread, in the words of an error.
    package init(for owner: String) throws(DeviceError) { wakeUp = try WakeUp(for: owner) }

    package var isStopped: Bool { content.withLock { $0.isStopped } }

    package func stop() { order { $0.isStopped = true } }

    /// Has the thread do something.
    package func order(_ body: (inout Content) -> Void) {
        change(body)
        wakeUp.signal()
    }

    /// Changes it, and has those that wait look again.
    package func change(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        tell()
    }

    /// Has those that wait look again.
    package func tell() { for bell in bells.withLock({ $0 }) { bell.ring() } }

    /// Waits until the condition holds; false when it does not in time. Blocks the thread.
    package func wait(seconds: Double, until condition: (Content) -> Bool) -> Bool {
        let bell = Bell()
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: seconds)
        bells.withLock { $0.append(bell) }
        defer { bells.withLock { bells in bells.removeAll { $0 === bell } } }
        while !condition(content.withLock { $0 }) {
            guard clock.now < deadline else { return false }
            bell.wait(until: deadline, clock: clock)
        }
        return true
    }
}
