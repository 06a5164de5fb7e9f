// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A subscription that is updated whenever the request changes. Any thread may change the request at any time.
package final class RequestSubscription<Request: Equatable & Sendable>: Sendable {
    private struct State {
        var current: (request: Request, subscription: Subscription)?
        var phase = Phase.idle
    }

    /// The phase of an update. Only one thread at a time updates the subscription.
    private enum Phase {
        case idle, updating
        /// The request may have changed during the update, so the updating thread checks it again.
        case outdated
    }

    private let state = Mutex(State())

    package init() {}

    /// Creates, replaces, keeps or ends the subscription to match the request that `wanted` returns.
    ///
    /// No lock is held during the calls of the closures, because a new subscription may deliver events at once. If
    /// another thread or an outer call is already updating the subscription, this method returns at once, and the other
    /// call then uses the latest request. A subscription is cancelled only after its replacement has been created, so
    /// that the sensor keeps running.
    package func update(to wanted: () -> Request?, subscribe: (Request) -> Subscription) {
        let begins = state.withLock { state in
            defer { state.phase = state.phase == .idle ? .updating : .outdated }
            return state.phase == .idle
        }
        guard begins else { return }
        repeat {
            let request = wanted()
            guard request != state.withLock({ $0.current?.request }) else { continue }
            let next = request.map { ($0, subscribe($0)) }
            let former = state.withLock { exchange(&$0.current, with: next) }
            former?.subscription.cancel()
        } while state.withLock { state in
            let isOutdated = state.phase == .outdated
            state.phase = isOutdated ? .updating : .idle
            return isOutdated
        }
    }
}
