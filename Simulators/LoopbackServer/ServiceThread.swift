// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import Synchronization
import SystemCalls

/// The state that a server's thread shares with other threads. `stop()` makes `ServiceLoop.run()` return.
package protocol ServiceState: Sendable {
    func stop()
}

package protocol ServiceLoop: AnyObject {
    /// Serves clients until the server is stopped, then closes all descriptors.
    func run()
}

/// Starts and stops a server's thread. The methods can be called from any thread. Releasing the object stops the
/// server's thread.
package final class ServiceThread<State: ServiceState, Address: Sendable>: Sendable {
    private struct Running {
        var state: State
        var address: Address
        var ended: BinarySemaphore
    }

    private let running = Mutex<Running?>(nil)

    package init() {}

    deinit { stop() }

    package var current: (state: State, address: Address)? {
        running.withLock { running in running.map { ($0.state, $0.address) } }
    }

    /// Starts the thread and returns the server's address. If the thread is already running, this function only returns
    /// the address.
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

    /// Calls `stopOthers`, then stops the thread and waits for it to end. Returns the server's address, or nil if the
    /// thread was not running.
    @discardableResult package func stop(with stopOthers: () -> Void = {}) -> Address? {
        guard let former = running.withLock({ exchange(&$0, with: nil) }) else { return nil }
        stopOthers()
        former.state.stop()
        // The wakeup pipe ends the thread's current wait, so the thread normally ends long before the timeout.
        former.ended.wait(seconds: 10)
        return former.address
    }
}

/// Transfers a value from one thread to another.
package final class TransferBox<Value>: @unchecked Sendable {
    // `@unchecked Sendable` is safe, because the creator no longer uses the value and only one thread can take it.
    private let hasValue = Mutex(true)
    private var value: Value?

    package init(_ value: Value) { self.value = value }

    package func take() -> Value? {
        hasValue.withLock { hasValue in
            guard exchange(&hasValue, with: false) else { return nil }
            return exchange(&value, with: nil)
        }
    }
}

package protocol SharedServerContent: Sendable {
    var isStopped: Bool { get set }

    init()
}

/// The data that a server's thread shares with other threads, protected by a lock. Other threads can wake the thread
/// and wait for changes.
package final class SharedServerState<Content: SharedServerContent>: ServiceState {
    package let content = Mutex(Content())
    package let wakeUp: WakeupPipe
    private let waiters = Mutex<[BinarySemaphore]>([])

    package init(for owner: String) throws(DeviceError) { wakeUp = try WakeupPipe(for: owner) }

    package var isStopped: Bool { content.withLock { $0.isStopped } }

    package func stop() { updateAndWake { $0.isStopped = true } }

    package func updateAndWake(_ body: (inout Content) -> Void) {
        update(body)
        wakeUp.signal()
    }

    /// Changes the content and wakes the threads that wait in `wait(seconds:until:)`.
    package func update(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        notifyWaiters()
    }

    /// Makes the threads that wait in `wait(seconds:until:)` check their conditions again.
    package func notifyWaiters() { for semaphore in waiters.withLock({ $0 }) { semaphore.signal() } }

    /// Waits until the condition is true. Returns false on timeout.
    package func wait(seconds: Double, until condition: (Content) -> Bool) -> Bool {
        let semaphore = BinarySemaphore()
        let clock = LiveClock()
        let deadline = clock.now.advanced(bySeconds: seconds)
        // The semaphore is registered before the first check, so that no later update is missed.
        waiters.withLock { $0.append(semaphore) }
        defer { waiters.withLock { semaphores in semaphores.removeAll { $0 === semaphore } } }
        while !condition(content.withLock { $0 }) {
            guard clock.now < deadline else { return false }
            semaphore.wait(until: deadline, clock: clock)
        }
        return true
    }
}

/// The time at which several servers start playback together. It is normally set by the first client of any of the
/// servers.
package final class SharedPlaybackStart: Sendable {
    private struct State {
        var time: BootTime?
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var time: BootTime? { state.withLock { $0.time } }

    /// Sets the start time and runs the pending closures, unless the time is already set. Returns the start time.
    @discardableResult package func startIfNeeded(at now: BootTime) -> BootTime {
        let (time, actions) = state.withLock { state -> (BootTime, [@Sendable () -> Void]) in
            if let time = state.time { return (time, []) }
            state.time = now
            return (now, exchange(&state.actions, with: []))
        }
        for action in actions { action() }
        return time
    }

    /// Calls the closure when playback starts, or immediately if it has already started. The closure must only wake a
    /// thread, because a server may hold its locks during the call.
    package func onStart(_ action: @escaping @Sendable () -> Void) {
        let hasStarted = state.withLock { state in
            if state.time == nil { state.actions.append(action) }
            return state.time != nil
        }
        if hasStarted { action() }
    }
}
