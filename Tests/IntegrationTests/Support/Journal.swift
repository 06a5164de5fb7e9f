// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The number of seconds that a test waits for an event. A slow or busy machine is not a failure.
let timeout = 60.0

/// A growing list that a test can wait for.
final class Journal<Element: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let isSatisfied: @Sendable ([Element]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var nextNumber = 0
    }

    private let state = Mutex(State())

    var elements: [Element] { state.withLock { $0.elements } }

    var count: Int { state.withLock { $0.elements.count } }

    func append(_ element: Element) {
        let satisfied = state.withLock { state in
            state.elements.append(element)
            let (satisfied, others) = (
                state.waiters.filter { $0.isSatisfied(state.elements) },
                state.waiters.filter { !$0.isSatisfied(state.elements) }
            )
            state.waiters = others
            return satisfied
        }
        for waiter in satisfied { waiter.continuation.resume(returning: true) }
    }

    /// Waits until the elements satisfy the condition. Returns false on timeout.
    func wait(until isSatisfied: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                if isSatisfied(state.elements) { return nil }
                let number = state.nextNumber
                state.nextNumber += 1
                state.waiters.append(Waiter(number: number, isSatisfied: isSatisfied, continuation: continuation))
                return number
            }
            guard let number else {
                continuation.resume(returning: true)
                return
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [weak self] in self?.giveUp(number) }
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}
