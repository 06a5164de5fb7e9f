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

/// A subscription that follows what somebody wants, which may change at any time and on any thread.
package final class StandingSubscription<Request: Equatable & Sendable>: Sendable {
    /// Held while the subscription is brought in line with what is wanted; never together with a callback.
    private let current = Mutex<(request: Request, subscription: Subscription)?>(nil)

    /// None yet.
    package init() {}

    /// Brings the subscription in line with what is wanted now: makes it, replaces it, ends it or leaves it as it is.
    ///
    /// Not to be called by the receiver of the events: they may come while the subscription is being made.
    ///
    /// - Parameters:
    ///   - wanted: What is wanted; nil for nothing. Asked under a lock, so that the last to come sees the last state.
    ///   - subscribe: Makes the subscription. The former one ends after that, so that the sensor runs on.
    package func follow(_ wanted: () -> Request?, subscribe: (Request) -> Subscription) {
        let former = current.withLock { current -> Subscription? in
            let request = wanted()
            guard request != current?.request else { return nil }
            defer { current = request.map { ($0, subscribe($0)) } }
            return current?.subscription
        }
        former?.cancel()
    }
}
