// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The wish that a verb ends, and why. The first wish counts.
final class Stop: Sendable {
    enum Reason: Sendable {
        case signal
        /// As many locations as were asked for have come.
        case complete
        case timeIsUp
        /// Nobody reads the output any more.
        case outputClosed
        case denied
        case failed(DeviceError, ExitStatus)
    }

    private struct State {
        var reason: Reason?
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var reason: Reason? { state.withLock { $0.reason } }

    func request(_ reason: Reason) {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Runs the closure when the wish comes, at once when it has come already.
    func whenRequested(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason != nil
        }
        if isLate { handler() }
    }

    func wait() async -> Reason {
        await withCheckedContinuation { continuation in
            whenRequested { continuation.resume(returning: self.reason ?? .complete) }
        }
    }
}

extension Stop.Reason {
    /// Standard output has failed.
    static func unwritable(errno number: Int32) -> Self {
        let cause = DeviceError.Cause.system(call: "write", errno: number)
        return .failed(DeviceError(.inputOutput, "Standard output cannot be written.", cause: cause), .inputOutput)
    }

    /// The exit status that a reason leads to; what has to be said about it is said here.
    func status(isComplete: Bool, shortfall: String) -> ExitStatus {
        switch self {
        case .signal, .complete, .outputClosed: return .success
        case .timeIsUp:
            if !isComplete { Notes.warn(shortfall) }
            return isComplete ? .success : .unavailable
        case .denied: return .noPermission
        case .failed(let error, let status):
            Notes.fail(error.description)
            return status
        }
    }
}

extension Stop {
    /// The exit status of a verb that has come to its end: the one that the wish leads to, if there was one.
    func status(or status: ExitStatus = .success) -> ExitStatus {
        reason?.status(isComplete: true, shortfall: "") ?? status
    }

    /// True while the verb goes on, and for two seconds beyond that when it is asked ten times a second.
    func patience() -> @Sendable () -> Bool {
        let waits = Atomic(0)
        return { self.reason == nil || waits.add(1, ordering: .relaxed).newValue < 20 }
    }
}
