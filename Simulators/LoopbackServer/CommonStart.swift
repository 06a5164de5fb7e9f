// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// The beginning of playback that several servers share: the first client of any of them sets it for all.
package final class CommonStart: Sendable {
    private struct State {
        var time: BootTime?
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// When it was; nil before.
    package var time: BootTime? { state.withLock { $0.time } }

    /// Begins, unless that has happened, and answers when it was.
    @discardableResult
    package func begin(at now: BootTime) -> BootTime {
        let (time, actions) = state.withLock { state -> (BootTime, [@Sendable () -> Void]) in
            if let time = state.time { return (time, []) }
            state.time = now
            defer { state.actions = [] }
            return (now, state.actions)
        }
        for action in actions { action() }
        return time
    }

    /// Calls the closure when it begins, or now when it has begun. It is called on any server's thread and with its locks
    /// held: all it may do is to wake somebody.
    package func whenBegun(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.time == nil { state.actions.append(action) }
            return state.time != nil
        }
        if isLate { action() }
    }
}
