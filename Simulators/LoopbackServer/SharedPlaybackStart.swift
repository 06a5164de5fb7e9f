// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// The shared start of playback of several servers. The first client of any server sets the start time of all servers.
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
            defer { state.actions = [] }
            return (now, state.actions)
        }
        for action in actions { action() }
        return time
    }

    /// Calls the closure when playback begins, or immediately if it has already begun.
    ///
    /// The closure may run on any server's thread with that server's locks held. It must do nothing but wake a thread.
    package func onStart(_ action: @escaping @Sendable () -> Void) {
        let hasStarted = state.withLock { state in
            if state.time == nil { state.actions.append(action) }
            return state.time != nil
        }
        if hasStarted { action() }
    }
}
