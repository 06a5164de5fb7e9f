// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Passes the signals that this process gets on to a program that it starts. What it was told to ignore before it was
/// started it goes on ignoring, and so does the program.
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

    /// Takes the signals from here on.
    init() {
        let numbers = SignalInbox.numbers.filter { !SignalInbox.ignoredAtStart.contains($0) }
        taking = SignalInbox.shared?.take(numbers) { [content] arrival in
            let tell = content.state.withLock { state in
                // More than a few mean nothing more.
                if state.tell == nil, state.early.count < 100 { state.early.append(arrival) }
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
    func stop() {
        content.state.withLock { $0.tell = { _ in } }
    }
}
