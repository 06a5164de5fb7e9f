// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The right to readings: they arrive until it is cancelled or released.
///
/// A source runs its hardware while at least one subscription exists.
public final class Subscription: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// A subscription that runs the closure once, when it ends.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Mutex(onCancel) }

    deinit { cancel() }

    /// True once it has ended.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Ends it; further calls do nothing. A reading that is being handed over on another thread may still arrive.
    public func cancel() {
        cancelled.store(true, ordering: .releasing)
        let action = onCancel.withLock { $0.take() }
        action?()
    }
}
