// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One subscriber of a hub.
final class PositionSubscriber: Sendable {
    let request: PositionRequest
    private let receive: @Sendable (PositionEvent) -> Void
    private let runEnded: @Sendable () -> Void
    private let isActive = Atomic<Bool>(true)

    init(
        _ request: PositionRequest,
        receive: @escaping @Sendable (PositionEvent) -> Void,
        settled: @escaping @Sendable () -> Void
    ) {
        self.request = request
        self.receive = receive
        runEnded = settled
    }

    /// True when a reading of that receiver is for this subscriber.
    func wants(_ receiver: String, isChosen: Bool) -> Bool {
        guard let named = request.receiver else { return isChosen }
        return named == receiver
    }

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback.
    func tell(_ event: PositionEvent) { if isActive.load(ordering: .acquiring) { receive(event) } }

    /// Tells that a run of events is over.
    func settled() { if isActive.load(ordering: .acquiring) { runEnded() } }

    /// Nothing is handed over from now on.
    func leave() { isActive.store(false, ordering: .releasing) }
}
