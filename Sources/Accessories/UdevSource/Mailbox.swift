// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// A queue that handles messages in order, one at a time. The thread that posts a message handles the pending messages,
/// unless another thread is already doing so.
final class Mailbox<Message: Sendable>: Sendable {
    /// The treatment of a message while others are pending.
    enum Manner {
        /// Adds the message unconditionally.
        case always
        /// Drops the message if an equivalent one is pending.
        case once(isSame: (Message) -> Bool)
        /// Blocks the posting thread while too many messages are pending, because they are posted faster than they are
        /// handled.
        case patiently
    }

    private struct State {
        var outbox = Outbox<Message>()
        /// The thread that is handling messages. It cannot block on its own messages.
        var handler: pthread_t?
        /// The threads that wait for space in the queue.
        var outside: [Bell] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a queue. Threads that post with `patiently` block if `limit` messages are pending.
    init(limit: Int = 1024) {
        self.limit = limit
    }

    /// The number of messages that were posted since the current drain began.
    var count: Int { state.withLock { $0.outbox.countAfterTurn } }

    /// The number of threads that wait for space.
    var waitingThreads: Int { state.withLock { $0.outside.count } }

    /// Adds a message and drains the queue, unless another thread or a function further up the call stack is already
    /// draining it.
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
