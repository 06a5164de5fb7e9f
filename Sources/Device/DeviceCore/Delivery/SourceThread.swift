// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A hub whose source runs a thread while the hub has subscribers.
package protocol ThreadedHub: AnyObject, Sendable {
    var hasSubscribers: Bool { get }
    func setStatus(_ status: SourceStatus)
}

extension PositionHub: ThreadedHub {}
extension BeaconHub: ThreadedHub {}

/// The thread of a source, which runs while its hub has subscribers. At most one thread runs at a time, even if changes
/// of the subscriptions are reported out of order.
package final class SourceThread<Hub: ThreadedHub>: Sendable {
    private struct State {
        weak var hub: Hub?
        var isRunning = false
        var wakeUp: WakeupPipe?
    }

    private let name: String
    private let retryDelay: Double
    private let work: @Sendable (Hub, WakeupPipe) -> Void
    private let state = Mutex(State())

    /// Creates a source thread. It starts when the hub gets a subscriber.
    ///
    /// - Parameters:
    ///   - name: The purpose of the thread's wakeup descriptor, for the error message if no file descriptor is left.
    ///   - pause: The time in seconds after which the thread tries again if no file descriptor is left.
    ///   - work: Called on the thread. Returns when the hub has no subscribers, which it has to check whenever the
    ///     wakeup is signaled.
    package init(
        for name: String, pause: Double, work: @escaping @Sendable (Hub, WakeupPipe) -> Void
    ) {
        self.name = name
        self.retryDelay = pause
        self.work = work
    }

    /// Sets the hub. It cannot be passed to the initializer, because the hub is created with a closure that calls
    /// `demandChanged`.
    package func attach(_ hub: Hub) { state.withLock { $0.hub = hub } }

    /// Starts the thread if the hub has a subscriber, or wakes the running thread. Called after each change of the
    /// subscriptions.
    package func demandDidChange() {
        let (startsThread, wakeUp) = state.withLock { state -> (Bool, WakeupPipe?) in
            if state.isRunning { return (false, state.wakeUp) }
            state.isRunning = state.hub?.hasSubscribers == true
            return (state.isRunning, nil)
        }
        // A running thread checks whether the hub still has subscribers.
        wakeUp?.signal()
        guard startsThread else { return }
        do throws(DeviceError) {
            try WorkerThread.start { self.run() }
        } catch {
            let hub = state.withLock { state in
                state.isRunning = false
                return state.hub
            }
            hub?.setStatus(.unavailable(error))
        }
    }

    /// Returns the hub while it has subscribers. Otherwise, resets the status of the hub, marks the thread as ended and
    /// returns nil.
    private func nextHub() -> Hub? {
        while true {
            let hub = state.withLock { $0.hub }
            let isIdle = hub.map { !$0.hasSubscribers } ?? true
            if isIdle { hub?.setStatus(.unknown) }
            let next = state.withLock { state -> Hub?? in
                if let hub = state.hub, hub.hasSubscribers { return hub }
                // If the last subscription was cancelled after the check above, the status has to be reset first.
                guard isIdle else { return nil }
                (state.isRunning, state.wakeUp) = (false, nil)
                return .some(nil)
            }
            if let next { return next }
        }
    }

    private func run() {
        while let hub = nextHub() {
            do throws(DeviceError) {
                let wakeUp = try WakeupPipe(for: name)
                state.withLock { $0.wakeUp = wakeUp }
                work(hub, wakeUp)
            } catch {
                // Without a wakeup descriptor, the thread can only sleep.
                hub.setStatus(.unavailable(error))
                WorkerThread.sleep(seconds: retryDelay)
            }
        }
    }
}
