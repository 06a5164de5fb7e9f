// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// The elements that a loop has not yet delivered.
package protocol ConsumerBuffer: Sendable {
    associatedtype Element: Sendable

    mutating func popFirst() -> Element?
}

/// Buffers the elements of one loop over an async sequence, and delivers them to the consumer. The loop begins when the
/// consumer requests the first element. During playback, the player waits while the consumer is processing an element.
package final class ConsumerLoop<State: ConsumerBuffer>: Sendable {
    private struct Content: Sendable {
        var state: State
        var continuation: CheckedContinuation<State.Element?, Never>?
        var isStarted = false
        var isFinished = false
        var isBusy = false
    }

    private let content: Mutex<Content>
    private let gate: ConsumerGate?

    package init(_ state: State, gate: ConsumerGate?) {
        content = Mutex(Content(state: state))
        self.gate = gate
    }

    package var isRunning: Bool { content.withLock { $0.isStarted && !$0.isFinished } }

    /// Begins the loop, calls the closure to update the state, and returns true. If the loop has already begun or
    /// ended, does nothing and returns false.
    package func start(_ change: (inout State) -> Void) -> Bool {
        let isFirst = content.withLock { content in
            guard !content.isStarted, !content.isFinished else { return false }
            content.isStarted = true
            change(&content.state)
            return true
        }
        if isFirst { gate?.addConsumer() }
        return isFirst
    }

    /// Waits for the next element. Returns nil if the loop has ended or the task was cancelled. Only one task may wait.
    /// If the task is cancelled, calls `onCancel`, which must call `finish()` to end the wait.
    package func next(onCancel: @escaping @Sendable () -> Void) async -> State.Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The outer optional is nil if the consumer must wait.
                let result = content.withLock { content -> State.Element?? in
                    let wasBusy = content.isBusy
                    // The next element begins before the previous one ends. Otherwise, the gate would briefly consider
                    // the consumer idle, and playback would continue.
                    defer { if wasBusy { gate?.endElement() } }
                    content.isBusy = false
                    if content.isFinished || Task.isCancelled { return .some(nil) }
                    guard let element = dequeue(&content) else {
                        content.continuation = continuation
                        return nil
                    }
                    return element
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            onCancel()
        }
    }

    /// Calls the closure to update the state. If an element is then available and the consumer is waiting, delivers it.
    /// Has no effect after the loop has ended.
    package func update(_ body: (inout State) -> Void) {
        let resumption = content.withLock { content -> (CheckedContinuation<State.Element?, Never>, State.Element)? in
            guard !content.isFinished else { return nil }
            body(&content.state)
            guard let waiting = content.continuation, let element = dequeue(&content) else { return nil }
            content.continuation = nil
            return (waiting, element)
        }
        if let (waiting, element) = resumption { waiting.resume(returning: element) }
    }

    package func read<Result: Sendable>(_ body: (State) -> Result) -> Result { content.withLock { body($0.state) } }

    /// Ends the loop and resumes any waiting consumer. Further calls have no effect.
    package func finish() {
        let waiting = content.withLock { content -> CheckedContinuation<State.Element?, Never>? in
            guard !content.isFinished else { return nil }
            content.isFinished = true
            if content.isStarted {
                if content.isBusy { gate?.endElement() }
                gate?.removeConsumer()
            }
            content.isBusy = false
            return content.continuation.take()
        }
        waiting?.resume(returning: nil)
    }

    private func dequeue(_ content: inout Content) -> State.Element? {
        guard let element = content.state.popFirst() else { return nil }
        content.isBusy = true
        gate?.beginElement()
        return element
    }
}
