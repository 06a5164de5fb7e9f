// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that one thread at a time uses, without holding a lock.
///
/// A source keeps its decoder in one, because subscribers run while it decodes.
package struct ExclusiveValue<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: the flag admits one thread at a time to the value.
    private let isInUse = Atomic<Bool>(false)
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Calls the closure with the value; returns nil if another thread, or a caller further up, is using it.
    package borrowing func use<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard !isInUse.exchange(true, ordering: .acquiring) else { return nil }
        defer { isInUse.store(false, ordering: .releasing) }
        return try body(&value.pointee)
    }

    /// Calls the closure with the value once no other thread uses it.
    package borrowing func useWhenFree<Result>(_ body: (inout Value) -> Result) -> Result {
        while true {
            if let result = use(body) { return result }
            WorkerThread.pause(seconds: 0.0005)
        }
    }
}
