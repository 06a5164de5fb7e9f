// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemCalls

/// SIGINT, SIGTERM and SIGHUP as a wish to stop, for as long as the object lives.
final class Termination {
    private static let queue = DispatchQueue(label: "sensorctl.times")
    private let taking: SignalInbox.Taking?

    init(_ stop: Stop) {
        // A hang-up that is ignored is none: so does nohup.
        let ignored = SignalInbox.ignoredAtStart.intersection([SIGHUP])
        taking = SignalInbox.shared?.take([SIGINT, SIGTERM, SIGHUP].filter { !ignored.contains($0) }) { _ in
            stop.request(.signal)
        }
    }

    /// Runs a verb that those signals end, and ends the program as it says.
    static func during(_ verb: (Stop) async throws -> ExitStatus) async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        try await verb(stop).end()
    }

    /// Makes a write to a pipe without a reader fail instead of ending the process.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Wishes to stop after that many seconds; nil for never.
    static func schedule(_ stop: Stop, after seconds: Double?) {
        guard let seconds else { return }
        queue.asyncAfter(deadline: .now() + seconds) { stop.request(.timeIsUp) }
    }
}

/// Takes signals from the first moment on; those that come before there is a handler wait for it.
final class SignalRelay: Sendable {
    private struct State {
        var tell: (@Sendable (SignalInbox.Arrival) -> Void)?
        var early: [SignalInbox.Arrival] = []
    }

    private final class Content: Sendable {
        let state = Mutex(State())
    }

    private let content = Content()
    private let taking: SignalInbox.Taking?

    /// Takes all signals that are to be passed on to a program. What this process was told to ignore when it was started
    /// it goes on ignoring, and so does the program.
    convenience init() {
        // More than a few mean nothing more.
        self.init(SignalInbox.numbers.filter { !SignalInbox.ignoredAtStart.contains($0) }, keeping: 100)
    }

    /// - Parameter limit: how many wait at most.
    init(_ numbers: [Int32], keeping limit: Int) {
        taking = SignalInbox.shared?.take(numbers) { [content] arrival in
            let tell = content.state.withLock { state in
                if state.tell == nil, state.early.count < limit { state.early.append(arrival) }
                return state.tell
            }
            tell?(arrival)
        }
    }

    /// Hands signals to the closure, those that have come before first, on some thread, until ``stop()``.
    func start(_ tell: @escaping @Sendable (SignalInbox.Arrival) -> Void) {
        let early = content.state.withLock { state in
            state.tell = tell
            defer { state.early = [] }
            return state.early
        }
        for arrival in early { tell(arrival) }
    }

    /// Hands over no more.
    func stop() { content.state.withLock { $0.tell = { _ in } } }
}
