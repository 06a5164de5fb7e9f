// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemCalls

/// Requests a stop on SIGINT, SIGTERM and SIGHUP while the object exists.
final class Termination {
    private static let queue = DispatchQueue(label: "sensorctl.times")
    private let taking: SignalInbox.Taking?

    init(_ stop: Stop) {
        // SIGHUP remains ignored if it was ignored at startup, for example by nohup.
        let ignored = SignalInbox.ignoredAtStart.intersection([SIGHUP])
        taking = SignalInbox.shared?.take([SIGINT, SIGTERM, SIGHUP].filter { !ignored.contains($0) }) { _ in
            stop.request(.signal)
        }
    }

    /// Runs a command until it ends or one of the signals arrives, and ends the program with its exit status.
    static func during(_ verb: (Stop) async throws -> ExitStatus) async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        try await verb(stop).end()
    }

    /// Makes a write to a pipe without a reader fail instead of ending the process.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Requests a stop after a delay in seconds; nil for never.
    static func schedule(_ stop: Stop, after seconds: Double?) {
        guard let seconds else { return }
        queue.asyncAfter(deadline: .now() + seconds) { stop.request(.timeIsUp) }
    }
}

/// Receives signals from its creation on. Signals that arrive before there is a handler are stored.
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

    /// Creates a relay for all signals that are passed on to a program. Signals that were ignored at startup remain
    /// ignored, in the program too.
    convenience init() {
        // More than 100 signals convey no additional information.
        self.init(SignalInbox.numbers.filter { !SignalInbox.ignoredAtStart.contains($0) }, keeping: 100)
    }

    /// - Parameter limit: The maximum number of stored signals.
    init(_ numbers: [Int32], keeping limit: Int) {
        taking = SignalInbox.shared?.take(numbers) { [content] arrival in
            let tell = content.state.withLock { state in
                if state.tell == nil, state.early.count < limit { state.early.append(arrival) }
                return state.tell
            }
            tell?(arrival)
        }
    }

    /// Delivers signals to the closure until ``stop()`` is called. Stored signals are delivered immediately, later ones
    /// on the thread of ``SignalInbox``.
    func start(_ tell: @escaping @Sendable (SignalInbox.Arrival) -> Void) {
        let early = content.state.withLock { state in
            state.tell = tell
            defer { state.early = [] }
            return state.early
        }
        for arrival in early { tell(arrival) }
    }

    /// Ends the delivery.
    func stop() { content.state.withLock { $0.tell = { _ in } } }
}
