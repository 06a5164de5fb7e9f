// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A hub whose source runs a thread while the hub has subscribers.
package protocol ThreadedHub: AnyObject, Sendable {
    var hasSubscribers: Bool { get }
    func setStatus(_ status: SourceStatus)
}

extension PositionHub: ThreadedHub {}
extension BeaconHub: ThreadedHub {}

/// A source's thread, which runs while the source's hub has subscribers. At most one thread runs at a time, even if
/// subscription changes are reported out of order. The source owns the hub, whose `demandChanged` closure owns this
/// object.
package final class SourceThread<Hub: ThreadedHub>: Sendable {
    /// ```
    /// stopped ── the hub has subscribers ──▶ running ── it has none ──▶ stopped
    /// running ── the system cannot create the thread ──▶ waiting
    /// waiting ── the delay has passed or subscriptions change ──▶ running
    /// ```
    private enum Phase {
        case stopped
        /// The thread is running. The pipe is nil until the thread has created it.
        case running(WakeupPipe?)
        /// The system could not create a thread, so the hub's status was set to `unavailable`. Another attempt follows
        /// after a delay, or earlier if subscriptions change. `failures` identifies the attempt to which the delay
        /// belongs.
        case waiting(failures: Int)
    }

    private struct State {
        weak var hub: Hub?
        var phase = Phase.stopped
        var failures = 0
    }

    private let purpose: String
    private let retryDelay: Double
    private let spawn: WorkerThread.Spawn
    private let work: @Sendable (Hub, WakeupPipe) -> Void
    /// Acquired before the hub's lock, so the hub must not hold its lock while it calls `demandDidChange()`. Not held
    /// during `setStatus`, because a notified subscriber may subscribe or cancel, which calls `demandDidChange()`.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - purpose: The purpose of the thread's wakeup pipe, for use in error messages.
    ///   - retryDelay: The delay, in seconds, before the next attempt if the system has run out of threads or
    ///     descriptors.
    ///   - work: The closure to run on the thread. Before each wait, including the first, it must check whether the hub
    ///     has subscribers, and return if there are none. If it returns earlier, it is called again immediately.
    ///   - spawn: The function that creates the thread.
    package init(
        for purpose: String, retryDelay: Double,
        spawn: @escaping WorkerThread.Spawn = { body throws(DeviceError) in try WorkerThread.start(body) },
        work: @escaping @Sendable (Hub, WakeupPipe) -> Void
    ) {
        self.purpose = purpose
        self.retryDelay = retryDelay
        self.spawn = spawn
        self.work = work
    }

    /// Sets the hub. It is created after this object, because the hub's closure calls `demandDidChange()`.
    package func attach(_ hub: Hub) { state.withLock { $0.hub = hub } }

    /// Starts the thread if the hub has subscribers, or wakes the running thread. Called when subscriptions change.
    package func demandDidChange() {
        let (isStopped, wakeUp) = state.withLock { state -> (Bool, WakeupPipe?) in
            switch state.phase {
            case .running(let wakeUp): return (false, wakeUp)
            case .stopped where state.hub?.hasSubscribers != true: return (false, nil)
            case .stopped, .waiting:
                state.phase = .running(nil)
                return (true, nil)
            }
        }
        wakeUp?.signal()
        // If there are no subscribers, `nextHub()` resets the status that a failed attempt set.
        guard isStopped, nextHub() != nil else { return }
        do throws(DeviceError) {
            try spawn { self.run() }
        } catch {
            // The phase is still `running`, so no other thread can start the source and meanwhile set a newer status.
            state.withLock { $0.hub }?.setStatus(.unavailable(error))
            let failures = state.withLock { state in
                state.failures += 1
                state.phase = .waiting(failures: state.failures)
                return state.failures
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + retryDelay) { self.retry(after: failures) }
        }
    }

    private func retry(after failures: Int) {
        guard case .waiting(failures) = state.withLock({ $0.phase }) else { return }
        demandDidChange()
    }

    /// Returns the hub if it has subscribers. Otherwise, resets the hub's status and marks the thread as ended.
    private func nextHub() -> Hub? {
        while true {
            let hub = state.withLock { $0.hub }
            let isIdle = hub.map { !$0.hasSubscribers } ?? true
            if isIdle { hub?.setStatus(.unknown) }
            let next = state.withLock { state -> Hub? in
                if let hub = state.hub, hub.hasSubscribers { return hub }
                if isIdle { state.phase = .stopped }
                return nil
            }
            // If the last subscription was cancelled after `isIdle` was read, the loop repeats to reset the hub's
            // status.
            if next != nil || isIdle { return next }
        }
    }

    private func run() {
        while let hub = nextHub() {
            do throws(DeviceError) {
                // Releases the previous pipe first, because the process may be short of file descriptors.
                state.withLock { $0.phase = .running(nil) }
                let wakeUp = try WakeupPipe(for: purpose)
                state.withLock { $0.phase = .running(wakeUp) }
                work(hub, wakeUp)
            } catch {
                // Without a wakeup descriptor, the thread can only sleep.
                hub.setStatus(.unavailable(error))
                WorkerThread.sleep(seconds: retryDelay)
            }
        }
    }
}
