// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Gives one thread at a time exclusive access to a value, without holding a lock. A source wraps its decoder in this
/// type, because decoding calls subscribers, and no lock may be held while they run.
package struct ExclusiveValue<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable` because the flag ensures that only one thread at a time accesses the value.
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

    /// Returns nil if another thread or an outer call is using the value.
    package borrowing func use<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard !isInUse.exchange(true, ordering: .acquiring) else { return nil }
        defer { isInUse.store(false, ordering: .releasing) }
        return try body(&value.pointee)
    }

    /// Waits until the value is free, and then passes it to the closure. A nested call would deadlock.
    package borrowing func useWhenFree<Result>(_ body: (inout Value) -> Result) -> Result {
        while true {
            if let result = use(body) { return result }
            WorkerThread.sleep(seconds: 0.0005)
        }
    }
}
