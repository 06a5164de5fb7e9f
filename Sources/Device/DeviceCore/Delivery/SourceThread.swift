// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A hub whose source runs a thread while there are subscribers.
package protocol ThreadedHub: AnyObject, Sendable {
    var isWanted: Bool { get }
    func setStatus(_ status: SourceStatus)
}

extension PositionHub: ThreadedHub {}
extension BeaconHub: ThreadedHub {}

/// The thread of a source, which runs while its hub has subscribers: at most one, whatever order their wishes arrive in.
package final class SourceThread<Hub: ThreadedHub>: Sendable {
    private struct State {
        weak var hub: Hub?
        var isRunning = false
        var wakeUp: WakeUp?
    }

    private let name: String
    private let pause: Double
    private let work: @Sendable (Hub, WakeUp) -> Void
    private let state = Mutex(State())

    /// - Parameter name: What it is for, in the words of the error that no descriptor is left.
    /// - Parameter pause: Seconds until it tries again when there is none.
    /// - Parameter work: Works until nobody wants the hub any more. The wake-up says when to look whether that is so.
    package init(
        for name: String, pause: Double, work: @escaping @Sendable (Hub, WakeUp) -> Void
    ) {
        self.name = name
        self.pause = pause
        self.work = work
    }

    /// Names the hub, which cannot be made before: it calls `demandChanged`.
    package func attach(_ hub: Hub) { state.withLock { $0.hub = hub } }

    /// A subscriber has come or gone.
    package func demandChanged() {
        let (startsThread, wakeUp) = state.withLock { state -> (Bool, WakeUp?) in
            if state.isRunning { return (false, state.wakeUp) }
            state.isRunning = state.hub?.isWanted == true
            return (state.isRunning, nil)
        }
        // A running thread looks for itself whether it is still wanted.
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

    /// The hub while the thread has something to do; takes it out of service when not.
    private func continues() -> Hub? {
        while true {
            let hub = state.withLock { $0.hub }
            let isIdle = hub.map { !$0.isWanted } ?? true
            if isIdle { hub?.setStatus(.unknown) }
            let next = state.withLock { state -> Hub?? in
                if let hub = state.hub, hub.isWanted { return hub }
                // If the last subscription was cancelled meanwhile, the status has to be reset first.
                guard isIdle else { return nil }
                (state.isRunning, state.wakeUp) = (false, nil)
                return .some(nil)
            }
            if let next { return next }
        }
    }

    private func run() {
        while let hub = continues() {
            do throws(DeviceError) {
                let wakeUp = try WakeUp(for: name)
                state.withLock { $0.wakeUp = wakeUp }
                work(hub, wakeUp)
            } catch {
                // Without a descriptor there is nothing to wait on but time.
                hub.setStatus(.unavailable(error))
                WorkerThread.pause(seconds: pause)
            }
        }
    }
}
