// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A signal that is taken from the first moment on; one that comes before there is a handler waits for it.
final class WaitingSignal: Sendable {
    private struct State {
        var handler: (@Sendable () -> Void)?
        var hasCome = false
        var taking: SignalInbox.Taking?
    }

    private let state = Mutex(State())

    init(_ number: Int32) {
        let taking = SignalInbox.shared?.take([number]) { [weak self] _ in self?.come() }
        state.withLock { $0.taking = taking }
    }

    /// Calls the closure from here on, on the thread of signals.
    func handle(_ handler: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            state.handler = handler
            return state.hasCome
        }
        if hasCome { handler() }
    }

    /// Calls nothing any more.
    func end() {
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        withExtendedLifetime(former) {}
    }

    private func come() {
        let handler = state.withLock { state in
            state.hasCome = true
            return state.handler
        }
        handler?()
    }
}
