// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A subscription that follows a request. The request may change at any time and on any thread.
package final class RequestSubscription<Request: Equatable & Sendable>: Sendable {
    /// Locked while the subscription is being updated, but never during a callback.
    private let current = Mutex<(request: Request, subscription: Subscription)?>(nil)

    package init() {}

    /// Creates, replaces, keeps or ends the subscription to match the current request. Receivers of events must not
    /// call this method, because events may arrive while the subscription is being created.
    ///
    /// - Parameters:
    ///   - wanted: Returns the current request, or nil if no subscription is needed. Called with a lock held, so that
    ///     the last caller uses the latest request.
    ///   - subscribe: Creates the subscription. The previous subscription is cancelled afterwards, so that the sensor
    ///     keeps running.
    package func update(to wanted: () -> Request?, subscribe: (Request) -> Subscription) {
        let former = current.withLock { current -> Subscription? in
            let request = wanted()
            guard request != current?.request else { return nil }
            defer { current = request.map { ($0, subscribe($0)) } }
            return current?.subscription
        }
        former?.cancel()
    }
}
