// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Synchronization
import SystemCalls

/// What a server's thread and all others share.
package protocol ServiceState: Sendable {
    /// Has the thread end as soon as it can.
    func stop()
}

/// What a server's thread does. It belongs to that thread.
package protocol ServiceLoop: AnyObject {
    /// Serves until the server is stopped, and gives back what it has open.
    func run()
}

/// The life of a server's thread: started, stopped, and started again, from any thread.
///
/// It is stopped when it is released.
package final class ServiceThread<State: ServiceState, Address: Sendable>: Sendable {
    private struct Running {
        var state: State
        var address: Address
        var ended: Bell
    }

    private let running = Mutex<Running?>(nil)

    package init() {}

    deinit { stop() }

    /// What it shares with others, and where it is reached; nil when it does not run.
    package var current: (state: State, address: Address)? {
        running.withLock { running in running.map { ($0.state, $0.address) } }
    }

    /// Starts it and answers where it is reached. One that runs already answers that again, and makes nothing.
    package func start(
        _ make: () throws(DeviceError) -> (State, Address, any ServiceLoop)
    ) throws(DeviceError) -> Address {
        try running.withLock { (running) throws(DeviceError) -> Address in
            if let running { return running.address }
            let (state, address, loop) = try make()
            let ended = Bell()
            let box = Handover(loop)
            try WorkerThread.start {
                box.take()?.run()
                ended.ring()
            }
            running = Running(state: state, address: address, ended: ended)
            return address
        }
    }

    /// Stops it, and answers where it was reached when it has ended; nil when it did not run.
    ///
    /// - Parameter stopOthers: stops what works for it, once it takes no more work.
    @discardableResult
    package func stop(with stopOthers: () -> Void = {}) -> Address? {
        let former = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let former else { return nil }
        stopOthers()
        former.state.stop()
        // The thread never waits on anything but its wake-up, so this ends; the bound is for a machine that is asleep.
        former.ended.wait(seconds: 10)
        return former.address
    }
}

/// Carries something that belongs to one thread to the thread that it is for.
package final class Handover<Value>: @unchecked Sendable {
    // Unchecked: the maker gives the value up, and the lock lets exactly one thread have it.
    private let hasValue = Mutex(true)
    private var value: Value?

    package init(_ value: Value) { self.value = value }

    /// The value, the first time; nil afterwards.
    package func take() -> Value? {
        hasValue.withLock { hasValue in
            defer {
                hasValue = false
                value = nil
            }
            return hasValue ? value : nil
        }
    }
}

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
