// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that is used by one thread at a time, without holding a lock.
///
/// A source keeps its decoder in an exclusive value, because subscribers run during decoding and must not be called
/// with a lock held.
package struct ExclusiveValue<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked, because the flag restricts access to the value to one thread at a time.
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

    /// Calls the closure with the value. Returns nil if the value is in use by another thread or by a caller further up
    /// the stack.
    package borrowing func use<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard !isInUse.exchange(true, ordering: .acquiring) else { return nil }
        defer { isInUse.store(false, ordering: .releasing) }
        return try body(&value.pointee)
    }

    /// Waits until no other thread uses the value, and then calls the closure with it.
    package borrowing func useWhenFree<Result>(_ body: (inout Value) -> Result) -> Result {
        while true {
            if let result = use(body) { return result }
            WorkerThread.sleep(seconds: 0.0005)
        }
    }
}
