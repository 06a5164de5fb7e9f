// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A subscription to the events of a source. The source delivers events until the subscription is cancelled or
/// released, and runs its hardware while at least one subscription exists.
public final class Subscription: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates a subscription that calls the closure once, when the subscription ends.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = Mutex(onCancel) }

    deinit { cancel() }

    /// True once the subscription has ended.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Ends the subscription. When this method returns, another thread may still be delivering an event. Further calls
    /// have no effect.
    public func cancel() {
        cancelled.store(true, ordering: .releasing)
        let action = onCancel.withLock { $0.take() }
        action?()
    }
}
