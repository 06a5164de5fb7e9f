// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A thread-safe collection of values from handlers.
final class Box<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
    var count: Int { all.count }
}

/// A wrapper that passes a non-Sendable value to another thread. The test ensures that only one thread uses it at a
/// time.
struct Carried<Value>: @unchecked Sendable {
    var value: Value
}

extension DispatchSemaphore {
    /// Waits for a signal for at most 60 seconds. Returns false on timeout.
    func isSignalled() -> Bool { wait(timeout: .now() + 60) == .success }
}
