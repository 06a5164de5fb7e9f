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
        var outbox = Outbox<Message>()
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

    /// How many messages wait for those that are being handled.
    var count: Int { state.withLock { $0.outbox.countAfterTurn } }

    /// How many threads wait for room.
    var waitingThreads: Int { state.withLock { $0.outside.count } }

    /// Adds a message, and handles what waits unless another thread, or a caller further up, is doing so.
    func post(_ message: Message, _ manner: Manner = .always, handle: (Message) -> Void) {
        add(message, manner)
        guard state.withLock({ $0.outbox.claimTurn() }) else { return }
        repeat {
            let outside = state.withLock { state in
                state.outbox.beginTurn()
                state.handler = pthread_self()
                defer { state.outside = [] }
                return state.outside
            }
            for bell in outside { bell.ring() }
            while let message = state.withLock({ $0.outbox.isInTurn ? $0.outbox.takeFirst() : nil }) { handle(message) }
        } while goesOn()
    }

    private func goesOn() -> Bool {
        state.withLock { state in
            state.handler = nil
            return state.outbox.endTurn()
        }
    }

    private func add(_ message: Message, _ manner: Manner) {
        while true {
            let bell = state.withLock { state -> Bell? in
                switch manner {
                case .once(let isSame) where state.outbox.contains(where: isSame): return nil
                case .patiently where state.outbox.countAfterTurn >= limit && !Self.isHandler(state.handler):
                    let bell = Bell()
                    state.outside.append(bell)
                    return bell
                default:
                    state.outbox.append(message)
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
