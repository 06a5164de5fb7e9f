// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notifies asynchronous loops of authorization changes. Each loop's pending notifications are combined into one.
final class AuthorizationChanges: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastNumber = 0
        var isFinished = false
    }

    let authorization: LocationAuthorization
    private let state = Mutex(State())

    init(_ authorization: LocationAuthorization) {
        self.authorization = authorization
        authorization.add(self)
    }

    /// Creates a stream of notifications. The first element represents the current state.
    func makeStream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastNumber += 1
            state.continuations[state.lastNumber] = continuation
            return state.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
        }
        continuation.yield()
        return stream
    }

    func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            defer { state.continuations = [:] }
            return state.continuations
        }
        for continuation in continuations.values { continuation.finish() }
        authorization.remove(self)
    }
}

extension AuthorizationChanges: LocationAuthorization.Observer {
    func authorizationChanged() {
        for continuation in state.withLock({ $0.continuations }).values { continuation.yield() }
    }

    var use: LocationUse? { nil }
}
