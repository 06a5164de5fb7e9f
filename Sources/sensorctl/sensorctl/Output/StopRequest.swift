// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A request to end a command or an operation that a command is waiting for. Only the first request takes effect.
final class StopRequest: Sendable {
    enum Reason: Sendable {
        case signal
        /// The command finished on its own, for example because it received the requested number of updates.
        case complete
        case timeIsUp
        /// The reader closed the output pipe.
        case outputClosed
        /// Core Location denied authorization.
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

    /// Calls the closure on the thread that requests the stop, or immediately if a stop has already been requested.
    func onRequest(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason != nil
        }
        if isLate { handler() }
    }

    func wait() async -> Reason {
        await withCheckedContinuation { continuation in
            // `reason` is set before any handler is called, so it is never nil here.
            onRequest { continuation.resume(returning: self.reason ?? .complete) }
        }
    }

    /// Returns the exit status for the reason, or `status` if no stop has been requested. If the reason is a failure,
    /// logs its error.
    func status(or status: ExitStatus = .success) -> ExitStatus { reason?.status() ?? status }

    /// The number of times a write may wait after a stop request. `Descriptor.write` and `TraceOutput` wait 100 ms each
    /// time, so the grace period is 2 s.
    private static let maximumWaits = 20

    /// Returns a closure that a write calls after each wait for a slow reader. The closure returns true until the grace
    /// period after a stop request ends. Then it returns false, and the write gives up.
    func gracePeriod() -> @Sendable () -> Bool {
        let waits = Atomic(0)
        return { self.reason == nil || waits.add(1, ordering: .relaxed).newValue < Self.maximumWaits }
    }
}

extension StopRequest.Reason {
    static func unwritable(errno number: Int32) -> Self {
        let cause = DeviceError.Cause.system(call: "write", errno: number)
        return .failed(DeviceError(.inputOutput, "Standard output cannot be written.", cause: cause), .inputOutput)
    }

    /// Returns the exit status for this reason. Logs the error if the reason is `failed`. If the reason is `timeIsUp`
    /// and `isComplete` is false, logs `shortfall` and returns `.unavailable`.
    func status(isComplete: Bool = true, shortfall: String = "") -> ExitStatus {
        switch self {
        case .signal, .complete, .outputClosed: return .success
        case .timeIsUp:
            if !isComplete { Log.warning(shortfall) }
            return isComplete ? .success : .unavailable
        case .denied: return .noPermission
        case .failed(let error, let status):
            Log.error(error.description)
            return status
        }
    }
}
