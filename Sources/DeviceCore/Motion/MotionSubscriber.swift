// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One subscriber of a motion hub.
final class MotionSubscriber: Sendable {
    let request: MotionRequest
    private let receive: @Sendable (MotionEvent) -> Void
    private let isActive = Atomic<Bool>(true)
    private let thinner: Mutex<SampleThinner>

    init(_ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void) {
        self.request = request
        self.receive = receive
        thinner = Mutex(SampleThinner(interval: request.interval))
    }

    /// Hands over the event unless the subscriber has left, which it or another one may do in a callback.
    func tell(_ event: MotionEvent) {
        if isActive.load(ordering: .acquiring) { receive(event) }
    }

    /// Hands over those readings that were asked for.
    func tell(_ batch: MotionBatch, sensorInterval: Double?) {
        guard isActive.load(ordering: .acquiring) else { return }
        if request.everyReading || request.interval == 0 {
            receive(.samples(batch))
        } else if let sensorInterval, request.interval <= sensorInterval * 1.02 {
            receive(.samples(batch))
        } else if let thinned = thinner.withLock({ $0.thin(batch) }) {
            receive(.samples(thinned))
        }
    }

    /// Nothing is handed over from now on.
    func leave() {
        isActive.store(false, ordering: .releasing)
    }
}
