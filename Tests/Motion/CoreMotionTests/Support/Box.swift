// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Collects what handlers are told, on whatever thread.
final class Box<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) {
        values.withLock { $0.append(value) }
    }

    var all: [Value] { values.withLock { $0 } }
    var count: Int { all.count }
}

/// Carries what is not Sendable to another thread; the test sees to it that only one uses it at a time.
struct Carried<Value>: @unchecked Sendable {
    var value: Value
}

extension DispatchSemaphore {
    /// Waits for a signal, within bounds; false when none comes.
    func comes() -> Bool { wait(timeout: .now() + 60) == .success }
}
