// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Runs the body on a separate thread and waits for it, for at most a minute.
func onThread(_ body: @escaping () throws -> Void) throws {
    struct Body: @unchecked Sendable {
        let run: () throws -> Void
    }
    let body = Body(run: body)
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    // A thread does not belong to a test, so its name identifies the test in reports.
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

/// Runs the current run loop until the condition holds, for at most a minute. Returns whether it holds.
@discardableResult
func spin(_ mode: RunLoop.Mode = .default, until isDone: () -> Bool) -> Bool {
    let limit = Date(timeIntervalSinceNow: 60)
    while !isDone(), Date() < limit { _ = RunLoop.current.run(mode: mode, before: limit) }
    return isDone()
}

/// Lets the current run loop process pending events without waiting.
func runOnce(_ mode: RunLoop.Mode = .default) {
    for _ in 0..<4 { _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: -1)) }
}
