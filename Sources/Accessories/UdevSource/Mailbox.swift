// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Handles messages one at a time and in order, on whichever thread brings one while none is handled.
final class Mailbox<Message: Sendable>: Sendable {
    /// What becomes of a message while others wait.
    enum Manner {
        /// It is kept, whatever waits.
        case always
        /// It is dropped when one waits that says the same.
        case once(isSame: (Message) -> Bool)
        /// Its thread waits while too many do: whoever handles them is slower than they come.
        case patiently
    }

    private struct State {
        var waiting: [Message] = []
        var isBusy = false
        /// The thread that handles messages; those that it brings meanwhile cannot wait for it.
        var handler: pthread_t?
        /// Those who wait for room.
        var outside: [Bell] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A mailbox in which about that many messages wait before their threads do.
    init(limit: Int = 1024) {
        self.limit = limit
    }

    /// How many messages wait.
    var count: Int { state.withLock { $0.waiting.count } }

    /// How many threads wait for room.
    var waitingThreads: Int { state.withLock { $0.outside.count } }

    /// Adds a message, and handles what waits unless another thread, or a caller further up, is doing so.
    func post(_ message: Message, _ manner: Manner = .always, handle: (Message) -> Void) {
        add(message, manner)
        while true {
            let (batch, outside) = state.withLock { state -> ([Message], [Bell]) in
                if state.isBusy || state.waiting.isEmpty { return ([], []) }
                state.isBusy = true
                state.handler = pthread_self()
                defer {
                    state.waiting = []
                    state.outside = []
                }
                return (state.waiting, state.outside)
            }
            guard !batch.isEmpty else { return }
            for bell in outside { bell.ring() }
            for message in batch { handle(message) }
            state.withLock { state in
                state.isBusy = false
                state.handler = nil
            }
        }
    }

    private func add(_ message: Message, _ manner: Manner) {
        while true {
            let bell = state.withLock { state -> Bell? in
                switch manner {
                case .once(let isSame) where state.waiting.contains(where: isSame): return nil
                case .patiently where state.waiting.count >= limit && !Self.isHandler(state.handler):
                    let bell = Bell()
                    state.outside.append(bell)
                    return bell
                default:
                    state.waiting.append(message)
                    return nil
                }
            }
            guard let bell else { return }
            while !bell.wait(seconds: 60) {}
        }
    }

    private static func isHandler(_ handler: pthread_t?) -> Bool {
        handler.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
}
