// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hears events one at a time and in the order in which they were added, whichever threads bring them.
final class AccessorySubscriber: Sendable {
    private struct State {
        var waiting: [AccessoryEvent] = []
        /// From the beginning: the snapshot is handed on by the one who subscribes.
        var isBusy = true
        var hasLeft = false
    }

    private let state = Mutex(State())
    private let receive: @Sendable (AccessoryEvent) -> Void

    init(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) {
        self.receive = receive
    }

    func add(_ event: AccessoryEvent) {
        state.withLock { if !$0.hasLeft { $0.waiting.append(event) } }
    }

    /// Hands on what waits, the snapshot first. Until this returns nobody else does.
    func begin() {
        handOn()
    }

    /// Hands on what waits, unless another thread is doing so: that one then hands on all.
    func deliver() {
        let isMine = state.withLock { state in
            guard !state.isBusy, !state.waiting.isEmpty else { return false }
            state.isBusy = true
            return true
        }
        if isMine { handOn() }
    }

    /// For the one who has made it busy.
    private func handOn() {
        while true {
            let batch = state.withLock { state in
                defer { state.waiting = [] }
                state.isBusy = !state.waiting.isEmpty
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            for event in batch where !state.withLock({ $0.hasLeft }) { receive(event) }
        }
    }

    func leave() {
        state.withLock { state in
            state.hasLeft = true
            state.waiting = []
        }
    }
}
