// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Synchronization
import SystemCalls

/// The state that a server's thread shares with other threads.
package protocol ServiceState: Sendable {
    /// Requests the thread to end as soon as possible.
    func stop()
}

/// The main loop of a server's thread. Confined to that thread.
package protocol ServiceLoop: AnyObject {
    /// Serves until the server is stopped, then closes all descriptors.
    func run()
}

/// Manages the life cycle of a server's thread, which can be started and stopped repeatedly from any thread. Releasing
/// the object stops the thread.
package final class ServiceThread<State: ServiceState, Address: Sendable>: Sendable {
    private struct Running {
        var state: State
        var address: Address
        var ended: BinarySemaphore
    }

    private let running = Mutex<Running?>(nil)

    package init() {}

    deinit { stop() }

    /// The shared state and the server's address; nil if the thread is not running.
    package var current: (state: State, address: Address)? {
        running.withLock { running in running.map { ($0.state, $0.address) } }
    }

    /// Starts the thread and returns the server's address. If the thread is already running, returns the current
    /// address without calling the closure.
    package func start(
        _ make: () throws(DeviceError) -> (State, Address, any ServiceLoop)
    ) throws(DeviceError) -> Address {
        try running.withLock { (running) throws(DeviceError) -> Address in
            if let running { return running.address }
            let (state, address, loop) = try make()
            let ended = BinarySemaphore()
            let box = TransferBox(loop)
            try WorkerThread.start {
                box.take()?.run()
                ended.signal()
            }
            running = Running(state: state, address: address, ended: ended)
            return address
        }
    }

    /// Stops the thread after calling `stopOthers`, waits until the thread has ended and returns the server's address.
    /// Returns nil if the thread was not running.
    @discardableResult
    package func stop(with stopOthers: () -> Void = {}) -> Address? {
        guard let former = running.withLock({ exchange(&$0, with: nil) }) else { return nil }
        stopOthers()
        former.state.stop()
        // The thread blocks only in waits that the wake-up ends, so the thread ends soon. The timeout covers a
        // suspended machine.
        former.ended.wait(seconds: 10)
        return former.address
    }
}

/// A container that transfers a value from one thread to another.
package final class TransferBox<Value>: @unchecked Sendable {
    // Unchecked because the creator gives up the value, and the lock lets exactly one thread receive the value.
    private let hasValue = Mutex(true)
    private var value: Value?

    package init(_ value: Value) { self.value = value }

    /// Returns the value on the first call and nil on later calls.
    package func take() -> Value? {
        hasValue.withLock { hasValue in
            guard exchange(&hasValue, with: false) else { return nil }
            return exchange(&value, with: nil)
        }
    }
}

/// The content that a server's thread shares with other threads.
package protocol SharedServerContent: Sendable {
    var isStopped: Bool { get set }

    init()
}

/// Shared content behind a lock. Can wake the server's thread and lets other threads wait for progress.
package final class SharedServerState<Content: SharedServerContent>: ServiceState {
    package let content = Mutex(Content())
    package let wakeUp: WakeupPipe
    private let waiters = Mutex<[BinarySemaphore]>([])

    package init(for owner: String) throws(DeviceError) { wakeUp = try WakeupPipe(for: owner) }

    package var isStopped: Bool { content.withLock { $0.isStopped } }

    package func stop() { updateAndWake { $0.isStopped = true } }

    /// Changes the content and wakes the server's thread.
    package func updateAndWake(_ body: (inout Content) -> Void) {
        update(body)
        wakeUp.signal()
    }

    /// Changes the content and wakes the threads in `wait(seconds:until:)`.
    package func update(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        notifyWaiters()
    }

    /// Wakes the threads in `wait(seconds:until:)` to check their conditions again.
    package func notifyWaiters() { for semaphore in waiters.withLock({ $0 }) { semaphore.signal() } }

    /// Blocks the calling thread until the condition is true. Returns false after a timeout.
    package func wait(seconds: Double, until condition: (Content) -> Bool) -> Bool {
        let semaphore = BinarySemaphore()
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: seconds)
        waiters.withLock { $0.append(semaphore) }
        defer { waiters.withLock { semaphores in semaphores.removeAll { $0 === semaphore } } }
        while !condition(content.withLock { $0 }) {
            guard clock.now < deadline else { return false }
            semaphore.wait(until: deadline, clock: clock)
        }
        return true
    }
}

/// A playback start shared by several servers. The first client of any server sets the start time for all servers.
package final class SharedPlaybackStart: Sendable {
    private struct State {
        var time: BootTime?
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The start time; nil before playback begins.
    package var time: BootTime? { state.withLock { $0.time } }

    /// Sets the start time unless it is already set, runs the pending closures and returns the start time.
    @discardableResult
    package func startIfNeeded(at now: BootTime) -> BootTime {
        let (time, actions) = state.withLock { state -> (BootTime, [@Sendable () -> Void]) in
            if let time = state.time { return (time, []) }
            state.time = now
            return (now, exchange(&state.actions, with: []))
        }
        for action in actions { action() }
        return time
    }

    /// Calls the closure once playback has begun, or immediately if it already has. The closure is called on any
    /// server's thread with that server's locks held and must do nothing but wake a thread.
    package func onStart(_ action: @escaping @Sendable () -> Void) {
        let hasStarted = state.withLock { state in
            if state.time == nil { state.actions.append(action) }
            return state.time != nil
        }
        if hasStarted { action() }
    }
}
