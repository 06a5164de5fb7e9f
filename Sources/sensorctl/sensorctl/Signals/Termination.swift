// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemCalls

/// Requests a stop on SIGINT, SIGTERM or SIGHUP while the object exists.
final class Termination {
    private static let queue = DispatchQueue(label: "sensorctl.times")
    private let registration: SignalDispatcher.Registration?

    init(_ stop: StopRequest) {
        // SIGHUP remains ignored if it was ignored at startup, for example by nohup.
        let ignored = SignalDispatcher.ignoredAtStart.intersection([SIGHUP])
        let handled = [SIGINT, SIGTERM, SIGHUP].filter { !ignored.contains($0) }
        registration = SignalDispatcher.shared?.register(handled) { _ in stop.request(.signal) }
    }

    /// Runs a command and requests a stop if a signal arrives. Throws the exit status unless it is `success`.
    static func run(_ verb: (StopRequest) async throws -> ExitStatus) async throws {
        let stop = StopRequest()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        try await verb(stop).exit()
    }

    /// Runs a command with its input. The caller evaluates `input` before the signal handlers are installed, so that a
    /// signal can end the program while it is waiting for input from a pipe.
    static func run<Input>(
        reading input: Input, _ verb: (Input, StopRequest) async throws -> ExitStatus
    ) async throws {
        try await run { try await verb(input, $0) }
    }

    /// Ignores SIGPIPE, so that a write to a pipe without a reader fails instead of ending the process.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Requests a stop after a delay in seconds. Does nothing if the delay is nil.
    static func schedule(_ stop: StopRequest, after seconds: Double?) {
        guard let seconds else { return }
        queue.asyncAfter(deadline: .now() + seconds) { stop.request(.timeIsUp) }
    }
}

/// Relays signals to a handler. Signals that arrive before a handler is set are stored.
final class SignalRelay: Sendable {
    private struct State {
        var handler: (@Sendable (SignalDispatcher.ReceivedSignal) -> Void)?
        var stored: [SignalDispatcher.ReceivedSignal] = []
    }

    /// The object that the registered closure captures instead of the relay, which would otherwise never be released.
    private final class Content: Sendable { let state = Mutex(State()) }

    private let content = Content()
    private let registration: SignalDispatcher.Registration?

    /// Creates a relay for all forwarded signals except those ignored at startup, which remain ignored.
    convenience init() {
        // At most 100 signals are stored. Further signals would add no information.
        self.init(SignalDispatcher.numbers.filter { !SignalDispatcher.ignoredAtStart.contains($0) }, keeping: 100)
    }

    init(_ numbers: [Int32], keeping limit: Int) {
        registration = SignalDispatcher.shared?.register(numbers) { [content] arrival in
            let handler = content.state.withLock { state in
                if state.handler == nil, state.stored.count < limit { state.stored.append(arrival) }
                return state.handler
            }
            handler?(arrival)
        }
    }

    /// Delivers stored signals immediately and later ones on ``SignalDispatcher``'s thread until ``stop()``.
    func start(_ handler: @escaping @Sendable (SignalDispatcher.ReceivedSignal) -> Void) {
        let early = content.state.withLock { state in
            state.handler = handler
            defer { state.stored = [] }
            return state.stored
        }
        for arrival in early { handler(arrival) }
    }

    /// Discards further signals. The empty handler prevents them from being stored.
    func stop() { content.state.withLock { $0.handler = { _ in } } }
}
