// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Runs the body on a thread of its own and waits for it, a minute at most.
func onThread(_ body: @escaping () throws -> Void) throws {
    struct Body: @unchecked Sendable {
        let run: () throws -> Void
    }
    let body = Body(run: body)
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    // Reported by name: a thread belongs to no test.
    let test = Test.current
    let thread = Thread {
        do { try body.run() } catch { failure.withLock { $0 = error } }
        done.signal()
    }
    thread.name = test?.name
    thread.start()
    #expect(done.wait(timeout: .now() + 60) == .success, "the thread has not ended")
    if let error = failure.withLock({ $0 }) { throw error }
}

/// Runs this thread's run loop until the condition holds, a minute at most; returns whether it does.
@discardableResult
func spin(_ mode: RunLoop.Mode = .default, until isDone: () -> Bool) -> Bool {
    let limit = Date(timeIntervalSinceNow: 60)
    while !isDone(), Date() < limit { _ = RunLoop.current.run(mode: mode, before: limit) }
    return isDone()
}

/// Lets this thread's run loop do what is due, and not wait.
func turn(_ mode: RunLoop.Mode = .default) {
    for _ in 0..<4 { _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: -1)) }
}
