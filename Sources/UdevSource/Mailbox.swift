// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Handles messages one at a time and in order, on whichever thread brings one while none is handled.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var waiting: [Message] = []
        var isBusy = false
    }

    private let state = Mutex(State())

    /// Adds a message, and handles what waits unless another thread, or a caller further up, is doing so.
    func post(_ message: Message, handle: (Message) -> Void) {
        state.withLock { $0.waiting.append(message) }
        while true {
            let batch = state.withLock { state -> [Message] in
                if state.isBusy || state.waiting.isEmpty { return [] }
                state.isBusy = true
                defer { state.waiting = [] }
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            for message in batch { handle(message) }
            state.withLock { $0.isBusy = false }
        }
    }
}
