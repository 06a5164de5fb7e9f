// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// What a loop over an asynchronous sequence is fed from.
package protocol ConsumedState: Sendable {
    /// What the loop goes through.
    associatedtype Element: Sendable

    /// Takes out the element that has waited longest; nil when none waits.
    mutating func takeFirst() -> Element?
}

/// What stands behind one loop over an asynchronous sequence: the elements that wait for the program, or the program
/// that waits for an element.
///
/// The loop begins when the program asks for its first element. Playback waits while the program works on one.
package final class ConsumerLoop<State: ConsumedState>: Sendable {
    private struct Content: Sendable {
        var state: State
        var waiting: CheckedContinuation<State.Element?, Never>?
        var isStarted = false
        var isFinished = false
        /// True while the program works on an element.
        var isBusy = false
    }

    private let content: Mutex<Content>
    private let gate: ConsumerGate?

    /// A loop that has not begun.
    package init(_ state: State, gate: ConsumerGate?) {
        content = Mutex(Content(state: state))
        self.gate = gate
    }

    /// True from the first element that was asked for to the end.
    package var isRunning: Bool { content.withLock { $0.isStarted && !$0.isFinished } }

    /// Begins, with that change of the state; true the first time, and false when it is over already.
    package func start(_ change: (inout State) -> Void) -> Bool {
        let isFirst = content.withLock { content in
            guard !content.isStarted, !content.isFinished else { return false }
            content.isStarted = true
            change(&content.state)
            return true
        }
        if isFirst { gate?.enter() }
        return isFirst
    }

    /// The next element, once there is one; nil when the loop is over or its task cancelled.
    package func next(onCancel: @escaping @Sendable () -> Void) async -> State.Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = content.withLock { content -> State.Element?? in
                    let wasBusy = content.isBusy
                    // What it takes begins before that ends: else playback would find nobody at work in between, and go on.
                    defer { if wasBusy { gate?.end() } }
                    content.isBusy = false
                    if content.isFinished || Task.isCancelled { return .some(nil) }
                    guard let element = take(&content) else {
                        content.waiting = continuation
                        return nil
                    }
                    return element
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            onCancel()
        }
    }

    /// Changes the state, and hands an element to the program if it waits for one. Nothing happens after the end.
    package func change(_ body: (inout State) -> Void) {
        let handOver = content.withLock { content -> (CheckedContinuation<State.Element?, Never>, State.Element)? in
            guard !content.isFinished else { return nil }
            body(&content.state)
            guard let waiting = content.waiting, let element = take(&content) else { return nil }
            content.waiting = nil
            return (waiting, element)
        }
        if let (waiting, element) = handOver { waiting.resume(returning: element) }
    }

    /// Looks at the state.
    package func read<Result: Sendable>(_ body: (State) -> Result) -> Result { content.withLock { body($0.state) } }

    /// The loop was left, or its task cancelled. Further calls do nothing.
    package func finish() {
        let waiting = content.withLock { content -> CheckedContinuation<State.Element?, Never>? in
            guard !content.isFinished else { return nil }
            content.isFinished = true
            if content.isStarted {
                if content.isBusy { gate?.end() }
                gate?.leave()
            }
            content.isBusy = false
            return content.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    /// The next element for the program, which works on it from now on.
    private func take(_ content: inout Content) -> State.Element? {
        guard let element = content.state.takeFirst() else { return nil }
        content.isBusy = true
        gate?.begin()
        return element
    }
}
