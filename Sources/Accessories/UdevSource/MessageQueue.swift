// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// A queue that handles messages in order, one at a time. The thread that posts a message also handles all pending
/// messages, unless another thread is already doing so.
final class MessageQueue<Message: Sendable>: Sendable {
    /// Determines the effect of posting a message while others are pending.
    enum PostingPolicy {
        case always
        case coalescing(isSame: (Message) -> Bool)
        /// If too many messages are pending, blocks the posting thread until the next drain begins.
        case blocking
    }

    private struct State {
        var queue = BoundedQueue<Message>()
        /// The thread that is handling messages. Posting a message never blocks this thread.
        var handler: pthread_t?
        var blockedThreads: [BinarySemaphore] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a queue. While at least `limit` messages are pending, posting with the policy `blocking` blocks the
    /// calling thread.
    init(limit: Int = 1024) { self.limit = limit }

    var count: Int { state.withLock { $0.queue.countSinceDrainBegan } }

    var blockedThreadCount: Int { state.withLock { $0.blockedThreads.count } }

    /// Posts a message and then handles all pending messages. If another thread, or the caller itself further up the
    /// call stack, is already handling messages, only posts the message.
    func post(_ message: Message, _ policy: PostingPolicy = .always, handle: (Message) -> Void) {
        add(message, policy)
        guard state.withLock({ $0.queue.scheduleDrainIfNeeded() }) else { return }
        repeat {
            let blockedThreads = state.withLock { state in
                state.queue.beginDrain()
                state.handler = pthread_self()
                defer { state.blockedThreads = [] }
                return state.blockedThreads
            }
            for semaphore in blockedThreads { semaphore.signal() }
            while let message = state.withLock({ $0.queue.isDraining ? $0.queue.popFirst() : nil }) { handle(message) }
        } while finishDrain()
    }

    private func finishDrain() -> Bool {
        state.withLock { state in
            state.handler = nil
            return state.queue.finishDrain()
        }
    }

    private func add(_ message: Message, _ policy: PostingPolicy) {
        while true {
            let semaphore = state.withLock { state -> BinarySemaphore? in
                switch policy {
                case .coalescing(let isSame) where state.queue.contains(where: isSame): return nil
                case .blocking where state.queue.countSinceDrainBegan >= limit && !Self.isHandler(state.handler):
                    let semaphore = BinarySemaphore()
                    state.blockedThreads.append(semaphore)
                    return semaphore
                default:
                    state.queue.append(message)
                    return nil
                }
            }
            guard let semaphore else { return }
            while !semaphore.wait(seconds: 60) {}
        }
    }

    private static func isHandler(_ handler: pthread_t?) -> Bool {
        handler.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
}

/// The current problems of a source, grouped by subject, such as a file.
final class ProblemList: Sendable {
    private let problems = Mutex<[(subject: String, errors: [DeviceError])]>([])

    /// Called whenever problems are set, on the thread that calls `set`.
    private let onChange: @Sendable () -> Void

    init(onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

    /// The maximum number of subjects. The problems of further subjects are dropped.
    private static let maximumSubjects = 256

    var errors: [DeviceError] { problems.withLock { $0.flatMap(\.errors) } }

    /// Sets a subject's problems. An empty array removes the subject.
    func set(_ errors: [DeviceError], for subject: String) {
        problems.withLock { problems in
            if let index = problems.firstIndex(where: { $0.subject == subject }) {
                if errors.isEmpty {
                    problems.remove(at: index)
                } else {
                    problems[index].errors = errors
                }
            } else if !errors.isEmpty, problems.count < Self.maximumSubjects {
                problems.append((subject, errors))
            }
        }
        onChange()
    }
}
