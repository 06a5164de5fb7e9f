// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

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
