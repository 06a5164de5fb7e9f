// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A subscription that is updated whenever the request changes. Any thread may change the request at any time.
package final class RequestSubscription<Request: Equatable & Sendable>: Sendable {
    /// The lock is held while the subscription is updated, but never while the app's callbacks run.
    private let current = Mutex<(request: Request, subscription: Subscription)?>(nil)

    package init() {}

    /// Creates, replaces, keeps or ends the subscription to match the request returned by `wanted`.
    ///
    /// `wanted` is called with a lock held, so if several threads call this method concurrently, the last call uses the
    /// latest request. A subscription is cancelled only after its replacement has been created, so that the sensor
    /// keeps running. Event handlers must not call this method. A new subscription may deliver events while the lock is
    /// held, so a call from an event handler would deadlock.
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
