// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import Synchronization

/// The world, behind a lock: the server's thread works on it, other threads inject faults and read values.
final class SharedWorld: ServiceState {
    struct State {
        var world: IIODWorld
        var isStopped = false
        var connectionCount = 0
        /// Counts changes from outside, after which waiting clients may go on.
        var revision = 0
        var wakeUp: WakeUp?
    }

    let state: Mutex<State>

    init(_ world: IIODWorld) { state = Mutex(State(world: world)) }

    func stop() { order { $0.isStopped = true } }

    /// Changes it, and has the thread look.
    func order(_ body: (inout State) -> Void) {
        let wakeUp = state.withLock { state in
            body(&state)
            return state.wakeUp
        }
        wakeUp?.signal()
    }
}
